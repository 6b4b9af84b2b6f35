# A word that the program can write tells nothing of where a jump goes.
# expect: unresolved-jump:1
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	movslq	table(%rip), %rax
	lea	table(%rip), %rdx
	add	%rdx, %rax
	jmp	*%rax
1:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.data
	.align	4
table:	.long	1b-table
