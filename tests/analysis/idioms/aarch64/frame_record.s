# The usual frame: x29 and x30 are stored with writeback, others above them, and
# all come back in reverse.
# expect: equal 100.000%
f:	.cfi_startproc
	stp	x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset 29, -48
	.cfi_offset 30, -40
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	str	x21, [sp, #32]
	mov	x19, x0
	mov	x20, x1
	mov	x21, x2
	blr	x3
	ldp	x19, x20, [sp, #16]
	ldr	x21, [sp, #32]
	ldp	x29, x30, [sp], #48
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
