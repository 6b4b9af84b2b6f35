# Rule: whether the return address is signed is part of what a row says.
# expect: cfa-differs 0 ra-differs 12 fp-differs 0
f:	.cfi_startproc
	paciasp
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	ldr	x30, [sp], #16
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	autiasp
	ret
	.cfi_endproc
