# Rule: what is behind a call goes on with the routine's frame pointer only where it
# has none of its own, by enter as by mov.  The call is the last one of f, and g a
# function that nothing names.
# options: -e
	exported f
f:	.cfi_startproc
	test	%rdi, %rdi
	jne	1f
	ret
1:	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	mov	(%rsi), %rax
	call	*(%rax)
	.cfi_endproc
g:	.cfi_startproc
	enter	$16, $0
	.cfi_def_cfa 6, 16
	.cfi_offset 6, -16
	mov	-8(%rbp), %rax
2:	jmp	2b
	.cfi_endproc
