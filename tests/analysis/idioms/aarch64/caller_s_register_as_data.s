# Rule: who computes with a register of the caller's was not called.
# expect: saved-register-used:1
# expect: sound:1
f:	.cfi_startproc
	add	x0, x19, #1
	ret
	.cfi_endproc
g:	.cfi_startproc
	stp	x19, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -8
	mov	x19, x0
	blr	x1
	ldp	x19, x30, [sp], #16
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
