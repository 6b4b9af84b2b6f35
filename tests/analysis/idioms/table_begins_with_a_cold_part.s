# A table without a bound whose first entry leads to a moved part: it is read
# because all of it, up to the next address that the code computes, leads to
# the function or to parts.
# expect: equal 100.000%
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
2:	mov	$2, %ebx
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
	mov	$3, %ebx
	jmp	4b
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	f.cold-table, 2b-table, 4b-table
behind:	.long	0
