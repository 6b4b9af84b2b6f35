# Rule: what is behind a call goes on with the routine's registers only where it
# has not loaded them before, both of a pair.  The call is the last one of f, and g
# a function that nothing names.
# options: -e
	exported f
f:	.cfi_startproc
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	cbz	x0, 1f
	ldp	x29, x30, [sp], #16
	.cfi_remember_state
	.cfi_def_cfa_offset 0
	.cfi_restore 29
	.cfi_restore 30
	ret
1:	.cfi_restore_state
	ldr	x1, [x2]
	blr	x1
	.cfi_endproc
g:	.cfi_startproc
	stp	x19, x20, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 19, -32
	.cfi_offset 20, -24
	ldp	x19, x20, [x0]
	add	x0, x19, x20
2:	b	2b
	.cfi_endproc
