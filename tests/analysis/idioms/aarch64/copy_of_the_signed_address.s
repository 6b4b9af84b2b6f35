# Of several copies of the return address the signed one counts: what
# __builtin_return_address (0) gives has no signature, and where it is spilled to,
# a callee may write.
# expect: equal 100.000%
f:	.cfi_startproc
	paciasp
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	xpaclri
	str	x30, [sp, #24]
	bl	g
	ldp	x29, x30, [sp], #32
	.cfi_def_cfa_offset 0
	.cfi_restore 29
	.cfi_restore 30
	autiasp
	.cfi_negate_ra_state
	ret
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
