# What two functions enter with different frames holds for neither: ret
# here, and all of h.
# expect: silent 4 
f:	.cfi_startproc
	mov	%rdi, %rax
1:	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbp, 16, 6
	popped	%rbp, 8
	jmp	1b
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rax, 16
	jmp	1b
	.cfi_endproc
