# Rule: a store of any width makes an end of what was saved there.
# expect: return:3
f:	.cfi_startproc
	stp	x19, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -8
	strb	w0, [sp, #3]
	ldp	x19, x30, [sp], #16
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
g:	.cfi_startproc
	stp	x19, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -8
	str	q0, [sp]
	ldp	x19, x30, [sp], #16
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
h:	.cfi_startproc
	stp	x19, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 30, -24
	add	x9, sp, #16
	stp	x0, x1, [x9, #-16]!
	ldp	x19, x30, [sp], #32
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
