# Rule: error returns if its first argument is 0, and only then.
# expect: equal 100.000%
f:	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	cbz	w0, 1f
	mov	w0, #0
	bl	error
	ldr	x30, [sp], #16
	.cfi_remember_state
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
1:	.cfi_restore_state
	sub	sp, sp, #16
	.cfi_def_cfa_offset 32
	mov	w0, #1
	bl	error
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
