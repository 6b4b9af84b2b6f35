# Rule: a table without a bound ends where any code seems to name an address,
# also the code of a function that nothing leads to.
# options: -e
# expect: sound:1
	exported	f
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	xor	%ebx, %ebx
2:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	lea	table_g(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
	.nops	8
3:	pause
	jmp	3b
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b-table, 2b-table
table_g: .long	3b-table_g, 3b-table_g
