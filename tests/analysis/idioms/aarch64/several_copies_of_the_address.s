# Of several copies of the return address, none signed, that of the frame record
# counts.
# expect: equal 100.000%
f:	.cfi_startproc
	sub	sp, sp, #32
	.cfi_def_cfa_offset 32
	str	x30, [sp, #24]
	stp	x29, x30, [sp]
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	bl	g
	ldp	x29, x30, [sp]
	.cfi_restore 29
	.cfi_restore 30
	add	sp, sp, #32
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
