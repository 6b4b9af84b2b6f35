# What was read from a jump table waits on the stack for its jump.
# expect: equal 100.000%
f:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	cmp	$1, %edi
	ja	2f
	lea	table(%rip), %rdx
	mov	%edi, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	mov	%rax, 8(%rsp)
	xor	%eax, %eax
	mov	8(%rsp), %rcx
	jmp	*%rcx
1:	inc	%eax
2:	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b-table, 2b-table
