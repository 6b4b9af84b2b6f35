# x29 is kept on the stack for a while, x30 is not.
# expect: equal 100.000%
f:	.cfi_startproc
	str	x29, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	ldr	x0, [x0]
	ldr	x29, [sp], #16
	.cfi_restore 29
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
