# LLVM's way to align the stack.
# expect: equal 100.000%
f:	.cfi_startproc
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	.cfi_def_cfa_register 29
	sub	x9, sp, #112
	and	sp, x9, #-64
	mov	x0, sp
	blr	x1
	mov	sp, x29
	.cfi_def_cfa 31, 16
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 30
	.cfi_restore 29
	ret
	.cfi_endproc
