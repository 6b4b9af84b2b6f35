# Rule: a PLT stub is looked through to the name of what it calls.
# expect: equal 100.000%
f:	.cfi_startproc
	cbnz	w0, 1f
	sub	sp, sp, #32
	.cfi_def_cfa_offset 32
	bl	abort
	.cfi_def_cfa_offset 0
1:	ret
	.cfi_endproc
