# More than an instruction can subtract: the size is built in a register.
# expect: equal 100.000%
f:	.cfi_startproc
	mov	x12, #16416
	movk	x12, #1, lsl #16
	sub	sp, sp, x12
	.cfi_def_cfa_offset 81952
	stp	x29, x30, [sp]
	.cfi_offset 29, -81952
	.cfi_offset 30, -81944
	mov	x29, sp
	blr	x0
	mov	x12, #16416
	ldp	x29, x30, [sp]
	.cfi_restore 30
	.cfi_restore 29
	movk	x12, #1, lsl #16
	add	sp, sp, x12
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
