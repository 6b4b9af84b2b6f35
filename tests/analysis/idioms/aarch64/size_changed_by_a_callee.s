# A callee that got the address of a variable changes the number in it, by which
# the stack then grows: behind that it is not known where the stack pointer is.
# options: -a -g
# expect: sound:2
# expect: rows for 89.47%
	.type	f, %function
f:	stp	x29, x30, [sp, #-48]!
	str	x19, [sp, #16]
	mov	x19, sp
	mov	x1, #64
	add	x0, x19, #24
	str	x1, [x19, #24]
	bl	g
	ldr	x1, [x19, #24]
	add	x0, x1, #15
	and	x0, x0, #0xfffffffffffffff0
	sub	sp, sp, x0
	mov	x0, sp
	mov	sp, x19
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #48
	ret
	.type	g, %function
g:	mov	x1, #4096
	str	x1, [x0]
	ret
