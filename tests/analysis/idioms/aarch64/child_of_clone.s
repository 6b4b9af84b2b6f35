# Rule: the child that clone () makes has another stack, where nothing says how
# to unwind: its way ends.  It has 12 of the 28 bytes, and 4 belong to both.
# options: -g
# expect: 28 executable, rows for 42.86%
	exported	clone
clone:	mov	x8, #220
	svc	#0
	cbnz	x0, 1f
	ldp	x1, x0, [sp], #16
	blr	x1
	brk	#0
1:	ret
