# Rule: a table without a bound ends where any code seems to name an address,
# also the code of a function that nothing leads to.
# options: -e
# expect: sound:1
	exported	f
f:	.cfi_startproc
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	adrp	x1, table
	add	x1, x1, :lo12:table
	ldrsw	x2, [x1, x0, lsl #2]
	add	x1, x1, x2
	br	x1
1:	mov	x0, #1
2:	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
g:	.cfi_startproc
	sub	sp, sp, #48
	.cfi_def_cfa_offset 48
	adrp	x1, table_g
	add	x1, x1, :lo12:table_g
	ldrsw	x2, [x1, x0, lsl #2]
	add	x1, x1, x2
	br	x1
	nop
	nop
3:	yield
	b	3b
	.cfi_endproc
	.section .rodata
	.align	2
table:	.word	1b-table, 2b-table
table_g: .word	3b-table_g, 3b-table_g
