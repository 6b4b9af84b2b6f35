# Rule: a function that returns by another register than x30 can change FP as
# well as any other.
# options: -g
# expect: 32 executable, rows for 0.00%
	.globl	caller, clobber
	.hidden	clobber
	functions	caller, clobber
caller:	str	x30, [sp, #-16]!
	bl	clobber
	ldr	x30, [sp], #16
	ret
clobber: mov	x16, x30
	mov	x30, #0
	mov	x29, #1
	ret	x16
