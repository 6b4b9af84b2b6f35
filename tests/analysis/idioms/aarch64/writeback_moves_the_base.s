# Rule: the base moves also where nothing is known of what is loaded or stored.
# expect: equal 100.000%
f:	.cfi_startproc
	str	q0, [sp, #-16]!
	.cfi_def_cfa_offset 16
	str	w0, [sp, #-16]!
	.cfi_def_cfa_offset 32
	ldr	w1, [sp], #16
	.cfi_def_cfa_offset 16
	ldr	xzr, [sp], #8
	.cfi_def_cfa_offset 8
	ldp	w1, w2, [sp], #8
	.cfi_def_cfa_offset 0
	st1	{v0.16b, v1.16b}, [x0], #32
	ret
	.cfi_endproc
