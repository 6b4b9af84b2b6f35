# Rule: where two jumps read a jump table with different bounds, the larger one is
# not relied on: the table ends where the code names what stands behind it.
# expect: 51 equal 100.000%
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	test	%esi,%esi
	je	7f
	cmp	$1, %edi
	ja	4f
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
7:	cmp	$3, %edi
	ja	4f
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	nop
4:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	lea behind(%rip),%rax
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b-table, 4b-table
behind:	.long	4b+1-table, 0x1000000
