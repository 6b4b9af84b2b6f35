# Free Pascal has its jump tables among the data, and extends the index with
# `and': from a byte in f, from four in j.  In g an entry leads elsewhere, h's
# are offsets from another place, nothing bounds the index of i, and an entry of k
# leads to the next function, as opposed to l's own entry: what the
# program could write is not a table then.
# expect: silent 126 
# expect: sound:3 unresolved-jump:4
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	(%rdi), %al
	cmp	$2, %al
	ja	3f
	and	$0xff, %eax
	lea	table_f(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	xor	%eax, %eax
	jmp	3f
2:	mov	$1, %eax
3:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.data
	.align	4
table_f: .long	1b-table_f, 2b-table_f, 3b-table_f
	.text
g:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	(%rdi), %eax
	cmp	$2, %eax
	ja	3f
	and	%eax, %eax
	lea	table_g(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	xor	%eax, %eax
	jmp	3f
2:	mov	$1, %eax
3:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.data
table_g: .long	1b-table_g, 2b-table_g, f-table_g
	.text
h:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	(%rdi), %eax
	cmp	$1, %eax
	ja	2f
	lea	table_h(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	lea	h(%rip), %rdx
	add	%rdx, %rax
	jmp	*%rax
1:	xor	%eax, %eax
2:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.data
table_h: .long	1b-h, 2b-h
	.text
i:	.cfi_startproc
	pushed	%rbx, 16, 3
	movzbl	(%rdi), %eax
	lea	table_i(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	xor	%eax, %eax
2:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.data
table_i: .long	1b-table_i, 2b-table_i
	.text
j:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	(%rdi), %eax
	cmp	$1, %eax
	ja	2f
	and	%eax, %eax
	lea	table_j(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	xor	%eax, %eax
2:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.data
table_j: .long	1b-table_j, 2b-table_j
	.text
k:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	(%rdi), %eax
	cmp	$1, %eax
	ja	2f
	and	%eax, %eax
	lea	table_k(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	xor	%eax, %eax
2:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
l:	.cfi_startproc
	mov	(%rdi), %eax
	cmp	$2, %eax
	ja	2f
	and	%eax, %eax
	lea	table_l(%rip), %rdx
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	inc	%eax
	ret
2:	ret
	.cfi_endproc
	.data
table_k: .long	1b-table_k, l-table_k
table_l: .long	l-table_l, 1b-table_l, 2b-table_l
