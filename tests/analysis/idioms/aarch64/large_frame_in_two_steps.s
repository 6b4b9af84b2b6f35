# More than an instruction can subtract: two of them do, one with a shifted number.
# expect: equal 100.000%
f:	.cfi_startproc
	sub	sp, sp, #3, lsl #12
	.cfi_def_cfa_offset 12288
	sub	sp, sp, #32
	.cfi_def_cfa_offset 12320
	str	x30, [sp]
	.cfi_offset 30, -12320
	blr	x0
	ldr	x30, [sp]
	.cfi_restore 30
	add	sp, sp, #32
	.cfi_def_cfa_offset 12288
	add	sp, sp, #3, lsl #12
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
