# Rule: a register that a callee changes does not say where the frame is.
# options: -g
# expect: 36 executable, rows for 0.00%
	.globl	frame, clobber
	.hidden	clobber
	functions	frame, clobber
frame:	stp	x19, x30, [sp, #-16]!
	mov	x19, sp
	sub	sp, sp, x0
	bl	clobber
	mov	sp, x19
	ldp	x19, x30, [sp], #16
	ret
clobber: mov	x19, #1
	ret
