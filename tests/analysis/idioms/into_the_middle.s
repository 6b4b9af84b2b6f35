# What two functions enter with different frames holds for neither: ret
# here, and all of h.
# expect: cfa-differs 0
# expect: silent 4 
f:	.cfi_startproc
	mov	%rdi, %rax
1:	ret
	.cfi_endproc
g:	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	pop	%rbp
	.cfi_def_cfa_offset 8
	jmp	1b
	.cfi_endproc
h:	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
	jmp	1b
	.cfi_endproc
