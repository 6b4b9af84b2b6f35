# Rule: a mask does not bound a table.  This one ends where another table
# begins, whose address the code computes, too.
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	and	$7, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	movabs	$0x5b5b5b5b5b5b5b5b, %rbx
	jmp	4f
2:	lea	other(%rip), %rbx
4:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b-table, 2b-table
other:	.long	1b+3-table, 1b+4-table
