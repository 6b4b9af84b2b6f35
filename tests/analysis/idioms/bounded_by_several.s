# A jump that is reached behind different comparisons: the compiler knows that
# the index is not above 1, and 5 is all that is seen.  The table ends where
# another one begins all the same.
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%edi, %edi
	cmp	$1, %edi
	jbe	1f
	cmp	$5, %edi
	ja	4f
1:	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
2:	movabs	$0x5b5b5b5b5b5b5b5b, %rbx
	jmp	4f
3:	lea	other(%rip), %rbx
4:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	2b-table, 3b-table
other:	.long	2b+3-table, 2b+4-table, 2b+5-table, 2b+6-table
