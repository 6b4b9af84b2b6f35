# Where a table ends is known only when another function has been followed,
# through a table of its own.
# expect: equal 100.000%
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	movabs	$0x5b5b5b5b5b5b5b5b, %rbx
4:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	cmp	$1, %edi
	ja	6f
	lea	first(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
5:	lea	behind(%rip), %rax
6:	ret
	.cfi_endproc
	.section .rodata
	.align	4
first:	.long	5b-first, 6b-first
table:	.long	4b-table, 1b-table
behind:	.long	1b+3-table, 1b+4-table
