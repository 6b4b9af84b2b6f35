# Rule: who calls what returns with FP changed has no rows that say FP is the
# caller's: called directly (before, after), by way of others (chain), and by a
# tail call (by_tail), which is followed last here.  Who saves FP has rows.
# options: -g
# expect: 96 executable, rows for 25.00%
	.globl	before, chain, by_tail, after, keeps, tail
	.hidden	before, tail, clobber
	functions	before, chain, by_tail, clobber, after, keeps, tail
before:	str	x30, [sp, #-16]!
	bl	clobber
	ldr	x30, [sp], #16
	ret
chain:	str	x30, [sp, #-16]!
	bl	before
	ldr	x30, [sp], #16
	ret
by_tail: str	x30, [sp, #-16]!
	bl	tail
	ldr	x30, [sp], #16
	ret
clobber: mov	x29, #1
	ret
after:	str	x30, [sp, #-16]!
	bl	clobber
	ldr	x30, [sp], #16
	ret
keeps:	stp	x29, x30, [sp, #-16]!
	bl	clobber
	ldp	x29, x30, [sp], #16
	ret
tail:	mov	x0, #1
	b	clobber
