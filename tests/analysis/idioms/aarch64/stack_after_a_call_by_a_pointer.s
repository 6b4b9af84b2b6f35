# Where SP is behind the call of a function that only a pointer leads to rests on
# trust in that function.  A return that needs it there shows that the trust was
# right (f); where SP is taken from elsewhere nothing does, and no row has it (g),
# unless there is a frame pointer (h).
# options: -g
# expect: 88 executable, rows for 90.91%
	exported	f, g, h
f:	stp	x19, x30, [sp, #-16]!
	mov	x19, x0
	blr	x1
	nop
	ldp	x19, x30, [sp], #16
	ret
g:	stp	x19, x30, [sp, #-16]!
	mov	x19, sp
	sub	sp, sp, #16
	blr	x1
	nop
	mov	sp, x19
	ldp	x19, x30, [sp], #16
	ret
h:	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	sub	sp, sp, #16
	blr	x1
	nop
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	ret
