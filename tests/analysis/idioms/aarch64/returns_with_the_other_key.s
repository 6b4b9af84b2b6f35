# A return that authenticates with key B is one like another (f), and leaves its
# caller's stack alone (g).
# expect: sound:2
	.text
f:	.cfi_startproc
	.inst	0xd503237f	/* pacibsp */
	.cfi_negate_ra_state
	.inst	0xd65f0fff	/* retab */
	.cfi_endproc
g:	.cfi_startproc
	str	x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	bl	f
	ldr	x30, [sp], 16
	.cfi_def_cfa_offset 0
	.cfi_restore 30
	ret
	.cfi_endproc
