# Rule: cmp and ja bound a jump table.  The words behind it are not entries: they
# would lead into the middle of instructions.
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	cmp	$2, %edi
	ja	4f
	mov	%edi, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	movabs	$0x5b5b5b5b5b5b5b5b, %rbx
	jmp	4f
2:	mov	$2, %ebx
	jmp	4f
3:	xor	%ebx, %ebx
4:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b-table, 2b-table, 3b-table
	.long	1b+3-table, 1b+4-table
