# A comparison bounds a jump table also where the index is in memory.
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	cmpl	$1, 8(%rdi)
	ja	4f
	mov	8(%rdi), %eax
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	movabs	$0x5b5b5b5b5b5b5b5b, %rbx
	jmp	4f
2:	mov	$2, %ebx
4:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b-table, 2b-table
	.long	1b+3-table, 1b+4-table
