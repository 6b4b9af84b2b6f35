# Rule: a pointer into the frame that was kept there may be another by now, so that
# no comparison of it shows that a path is none.
# options: -e
# expect: equal 100.000%
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	lea	16(%rsp), %rax
	mov	%rax, 8(%rsp)
1:	lea	8(%rsp), %rdi
	call	advance@PLT
	lea	32(%rsp), %rax
	mov	8(%rsp), %rcx
	cmp	%rax, %rcx
	jne	1b
	add	$40, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
