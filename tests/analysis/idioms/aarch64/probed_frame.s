# -fstack-clash-protection: a loop goes down to what a register says.
# expect: equal 100.000%
f:	.cfi_startproc
	mov	x13, #262144
	sub	x13, sp, x13
	.cfi_def_cfa 13, 262144
1:	sub	sp, sp, #16, lsl #12
	str	xzr, [sp, #1024]
	cmp	sp, x13
	b.ne	1b
	.cfi_def_cfa_register 31
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 262160
	.cfi_offset 30, -262160
	blr	x0
	ldr	x30, [sp], #16
	.cfi_restore 30
	.cfi_def_cfa_offset 262144
	add	sp, sp, #64, lsl #12
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
