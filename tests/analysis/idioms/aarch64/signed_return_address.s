# -mbranch-protection=standard: the saved return address is signed, and so is
# that in x30 in front of autiasp and retaa.
# expect: equal 100.000%
# expect: functions 2
# expect: sound:2
	.arch	armv8.3-a
f:	.cfi_startproc
	paciasp
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	blr	x0
	ldp	x29, x30, [sp], #16
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa_offset 0
	autiasp
	.cfi_negate_ra_state
	ret
	.cfi_endproc
g:	.cfi_startproc
	bti	c
	paciasp
	.cfi_negate_ra_state
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	blr	x0
	ldr	x30, [sp], #16
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	retaa
	.cfi_endproc
