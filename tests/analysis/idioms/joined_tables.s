# A jump behind the place where paths meet that have read from one table or
# another, or have the address of a label instead (glibc's printf).
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	3f(%rip), %rcx
	cmp	$1, %edi
	ja	2f
	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rcx
	add	%rdx, %rcx
	test	%esi, %esi
	je	2f
	lea	other(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rcx
	add	%rdx, %rcx
2:	mov	%esi, %eax
	jmp	*%rcx
4:	mov	$2, %ebx
5:	inc	%eax
3:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	3b-table, 4b-table
other:	.long	4b-other, 5b-other
