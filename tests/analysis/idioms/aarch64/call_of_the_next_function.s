# Rule: a call of the next instruction is a call, unless what is there takes the
# return address: saving it is what functions do.  Here the next function is
# called, and never returns.
# options: -e
# expect: equal 100.000%
	exported	f
f:	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	cbnz	w0, 1f
	ldr	x30, [sp], #16
	.cfi_remember_state
	.cfi_def_cfa_offset 0
	.cfi_restore 30
	ret
1:	.cfi_restore_state
	bl	g
	.cfi_endproc
g:	.cfi_startproc
	str	x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 30, -32
2:	yield
	b	2b
	.cfi_endproc
