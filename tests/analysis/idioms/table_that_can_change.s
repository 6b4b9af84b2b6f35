# A word that the program can write tells nothing of where a jump goes.
# expect: cfa-differs 0 ra-differs 0 fp-differs 0
# expect: unresolved-jump:1
f:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	movslq	table(%rip), %rax
	lea	table(%rip), %rdx
	add	%rdx, %rax
	jmp	*%rax
1:	pop	%rbx
	.cfi_restore 3
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.data
	.align	4
table:	.long	1b-table
