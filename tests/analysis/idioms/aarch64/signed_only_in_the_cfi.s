# Rule: whether the return address is signed is part of what a row says, in x30
# and where it is saved.
# expect: cfa-differs 0 ra-differs 16 fp-differs 0
f:	.cfi_startproc
	bti	c
	.cfi_negate_ra_state
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	nop
	ldr	x30, [sp], #16
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
