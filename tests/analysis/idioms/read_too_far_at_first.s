# The table of f is read too far until g has named what is behind it: on a path
# that nobody takes f leaves for h in the middle of a frame.  That says nothing
# of h.
# expect: equal 100.000%
# expect: silent 0
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	and	$1, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	xor	%ebx, %ebx
2:	popped	%rbx, 8, 3
3:	jmp	h
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rbx, 16, 3
	xor	%ebx, %ebx
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	cmp	$1, %edi
	ja	5f
	lea	table_g(%rip), %rdx
	mov	%edi, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
4:	lea	behind(%rip), %rax
5:	ret
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b-table, 2b-table
behind:	.long	3b-table
table_g: .long	4b-table_g, 5b-table_g
