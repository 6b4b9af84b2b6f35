# alloca: the CFA is relative to x29 then.
# expect: equal 100.000%
f:	.cfi_startproc
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	.cfi_def_cfa_register 29
	str	x19, [sp, #16]
	add	x0, x0, #15
	and	x0, x0, #-16
	sub	sp, sp, x0
	mov	x0, sp
	blr	x1
	mov	sp, x29
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa 31, 0
	ret
	.cfi_endproc
