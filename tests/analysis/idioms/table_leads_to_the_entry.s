# Rule: a jump table without a bound may lead to the entry of the function (f), and to
# all of its instructions, but ends where an entry leads to the next function (g) or
# to the one in front (h).
# expect: equal 100.000%
# expect: sound:4
	.macro	switch table
	lea	\table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
	.endm
	.text
f:	.cfi_startproc
	switch	table_f
1:	inc	%eax
	ret
2:	dec	%eax
	ret
	.cfi_endproc
g:	.cfi_startproc
	switch	table_g
3:	movabs	$0x5b5b5b5b5b5b5b5b, %rcx
4:	ret
	.cfi_endproc
h:	.cfi_startproc
	switch	table_h
5:	movabs	$0x5b5b5b5b5b5b5b5b, %rcx
6:	ret
	.cfi_endproc
i:	.cfi_startproc
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table_f: .long	1b-table_f, f-table_f, 2b-table_f, 0x6fffffff
table_g: .long	3b-table_g, 4b-table_g, h-table_g, 3b+3-table_g, 0x6fffffff
table_h: .long	5b-table_h, 6b-table_h, g-table_h, 5b+3-table_h, 0x6fffffff
