# d8 to d15 are saved and come back by instructions that have no part in it but
# for SP.
# expect: equal 100.000%
f:	.cfi_startproc
	stp	d8, d9, [sp, #-48]!
	.cfi_def_cfa_offset 48
	stp	x29, x30, [sp, #32]
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	st1	{v10.d}[0], [sp]
	blr	x0
	ldp	x29, x30, [sp, #32]
	.cfi_restore 29
	.cfi_restore 30
	ldp	d8, d9, [sp], #48
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
