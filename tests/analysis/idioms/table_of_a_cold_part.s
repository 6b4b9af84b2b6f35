# A table without a bound that a moved part of a function reads leads to that
# part, too.
# expect: equal 100.000%
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	test	%esi, %esi
	jne	f.cold
4:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	lea	behind(%rip), %rax
	ret
	.cfi_endproc
f.cold:	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
2:	mov	$2, %ebx
	jmp	4b
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	2b-table, 4b-table
	.long	0
behind:	.long	0
