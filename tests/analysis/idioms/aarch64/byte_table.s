# switch, as GCC has it: entries of a byte, signed, count instructions.
# What is behind the last would lead into the middle of the frame.
# expect: equal 100.000%
# expect: silent 0
f:	.cfi_startproc
	cmp	w0, #3
	b.hi	9f
	adrp	x1, table
	add	x1, x1, :lo12:table
	ldrb	w1, [x1, w0, uxtw]
	adr	x0, base
	add	x1, x0, w1, sxtb #2
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
table:	.byte	(1b - base) / 4, 0, (2b - base) / 4, (9b - base) / 4
	.byte	(2b - base) / 4 + 1, (2b - base) / 4 + 1
