# Rule: what is named behind a jump table ends a table without a bound.  The table is
# not taken up to there if its first entry leads into another function (g), or one
# leads to the next function (h).  It may have more than four entries, and what is
# named in a table with a bound does not end that (j).
# expect: sound:3 unresolved-jump:1
# expect: silent 29 
	.macro	begin name
\name:	.cfi_startproc
	pushed	%rbx, 16, 3
	.endm
	.macro	end
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.endm
	.macro	switch table
	lea	\table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
	.endm
	.macro	part name, back
\name:	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	$3, %ebx
	jmp	\back
	.cfi_endproc
	.endm
	.text
	begin	g
	switch	table_g
1:	mov	$1, %ebx
2:	end
	.section .rodata
	.align	4
table_g: .long	in_f-table_g, 1b-table_g, 2b-table_g
behind_g: .long	0
	.text
	begin	h
	switch	table_h
1:	mov	$1, %ebx
	jmp	2f
3:	mov	$3, %ebx
2:	end
	.section .rodata
table_h: .long	1b-table_h, 2b-table_h, j-table_h, 3b-table_h
behind_h: .long	0
	.text
	begin	j
	test	%esi, %esi
	je	6f
	cmp	$2, %edi
	ja	4f
	switch	table_b
5:	mov	$5, %ebx
	jmp	4f
7:	mov	$7, %ebx
	jmp	4f
6:	switch	table_j
1:	mov	$1, %ebx
	jmp	4f
2:	mov	$2, %ebx
	jmp	4f
3:	mov	$3, %ebx
4:	end
	.section .rodata
table_b: .long	5b-table_b, 4b-table_b
behind_b: .long	7b-table_b
table_j: .long	j.cold-table_j, 1b-table_j, 2b-table_j, 3b-table_j, 4b-table_j
behind_j: .long	0
	.text
	part	j.cold, 4b
names:	.cfi_startproc
	lea	behind_b(%rip), %rax
	lea	behind_g(%rip), %rax
	lea	behind_h(%rip), %rax
	lea	behind_j(%rip), %rax
in_f:	ret
	.cfi_endproc
