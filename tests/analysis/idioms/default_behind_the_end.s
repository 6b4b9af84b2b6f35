# The default case of a switch that has all cases is empty, and at the end of
# the function: padding (f, by its table and by a branch), or the start of
# another function (g).  Elsewhere such a branch shows that something is wrong
# (i).
# expect: silent 10  functions 5
# expect: sound:4 tail-call:1
	.text
	.p2align 4
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	cmp	$2, %edi
	ja	f3
	lea	table_f(%rip), %rdx
	mov	%edi, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
f1:	xor	%ebx, %ebx
f2:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
f3:	.p2align 5
g:	.cfi_startproc
	pushed	%rbx, 16, 3
	cmp	$1, %edi
	ja	h
	lea	table_g(%rip), %rdx
	mov	%edi, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
g1:	xor	%ebx, %ebx
g2:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rbx, 16, 3
	xor	%ebx, %ebx
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
i:	.cfi_startproc
	pushed	%rbx, 16, 3
	test	%edi, %edi
	je	j
	xor	%ebx, %ebx
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
j:	.cfi_startproc
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table_f: .long	f1-table_f, f3-table_f, f2-table_f
table_g: .long	g1-table_g, g2-table_g
