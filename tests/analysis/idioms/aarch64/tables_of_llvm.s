# LLVM: unsigned entries, shifted where they are added; or offsets from the
# table.
# expect: equal 100.000%
# expect: silent 0
f:	.cfi_startproc
	cmp	x0, #1
	b.hi	9f
	adrp	x8, bytes
	add	x8, x8, :lo12:bytes
	adr	x9, 1f
	ldrb	w10, [x8, x0]
	add	x9, x9, x10, lsl #2
	br	x9
1:	mov	w0, #1
	ret
2:	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
9:	ret
	.cfi_endproc
g:	.cfi_startproc
	cmp	x0, #1
	b.hi	9f
	adrp	x8, words
	add	x8, x8, :lo12:words
	ldrsw	x10, [x8, x0, lsl #2]
	add	x8, x8, x10
	br	x8
3:	mov	w0, #1
	ret
4:	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
9:	ret
	.cfi_endproc
	.section .rodata
	.align	2
words:	.word	3b - words, 4b - words, 0x100, 0x100
bytes:	.byte	(1b - 1b) / 4, (2b - 1b) / 4
	.byte	200, 200
