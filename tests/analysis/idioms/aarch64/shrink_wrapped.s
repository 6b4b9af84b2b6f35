# A frame only on the path that needs it, with a part of the function elsewhere
# that has no frame of its own.
# expect: equal 100.000%
f:	.cfi_startproc
	cbz	x0, 1f
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	blr	x0
	cbz	x0, 2f
	ldp	x29, x30, [sp], #16
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa_offset 0
1:	ret
	.cfi_endproc
	.section .text.unlikely, "ax"
	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
2:	bl	abort
	.cfi_endproc
