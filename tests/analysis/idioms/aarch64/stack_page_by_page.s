# Rule: two registers with different addresses in the stack are not equal.  A
# loop that goes down the stack page by page, as -fstack-clash-protection makes
# it, is not left behind the first page, so that the code behind it has one depth.
# expect: equal 100.000%
f:	.cfi_startproc
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	str	x19, [sp, #16]
	.cfi_offset 19, -16
	sub	x9, sp, #16, lsl #12
	.cfi_def_cfa 9, 0x10020
1:	sub	sp, sp, #1, lsl #12
	str	xzr, [sp]
	cmp	sp, x9
	b.ne	1b
	.cfi_def_cfa_register 31
	sub	sp, sp, #32
	.cfi_def_cfa_offset 0x10040
	cbz	w0, 2f
	mov	w19, w0
2:	add	sp, sp, #32
	.cfi_def_cfa_offset 0x10020
	add	sp, sp, #16, lsl #12
	.cfi_def_cfa_offset 32
	ldr	x19, [sp, #16]
	.cfi_restore 19
	ldp	x29, x30, [sp], #32
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
