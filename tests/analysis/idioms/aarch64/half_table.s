# switch, as in byte_table, with entries of two bytes, and a bound in a register.
# What is behind it would lead into the middle of the frame.
# expect: equal 100.000%
# expect: silent 0
f:	.cfi_startproc
	mov	w2, #2
	cmp	w0, w2
	b.hi	9f
	adrp	x1, table
	add	x1, x1, :lo12:table
	ldrh	w1, [x1, w0, uxtw #1]
	adr	x0, base
	add	x1, x0, w1, sxth #2
	br	x1
1:	mov	w0, #1
	ret
base:	mov	w0, #2
	ret
2:	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	ret
9:	mov	w0, #0
	ret
	.cfi_endproc
	.section .rodata
	.align	1
table:	.hword	(1b - base) / 4, 0, (2b - base) / 4
	.hword	(2b - base) / 4 + 1, (2b - base) / 4 + 1
