# The value of sbb r,r, or $-1,r and xor r,r does not depend on what the
# register held.
# expect: equal 100.000% cfa-differs 0 ra-differs 0 fp-differs 0
f:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	sbb	%ebx, %ebx
	mov	%ebx, %eax
	pop	%rbx
	.cfi_restore 3
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
g:	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	or	$-1, %rbp
	mov	%rbp, %rax
	pop	%rbp
	.cfi_restore 6
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
