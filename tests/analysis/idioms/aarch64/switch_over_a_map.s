# A byte that was looked up is compared, and then another table is read.
# expect: equal 100.000%
# expect: silent 0
f:	.cfi_startproc
	adrp	x2, map
	add	x2, x2, :lo12:map
	ldrb	w0, [x2, w0, uxtw]
	cmp	w0, #1
	b.hi	9f
	adrp	x1, table
	add	x1, x1, :lo12:table
	ldrb	w1, [x1, w0, uxtw]
	adr	x0, base
	add	x1, x0, w1, sxtb #2
	br	x1
base:	mov	w0, #2
	ret
2:	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
9:	ret
	.cfi_endproc
	.section .rodata
map:	.zero	256
table:	.byte	0, (2b - base) / 4
	.byte	3, 3, 3, 3
