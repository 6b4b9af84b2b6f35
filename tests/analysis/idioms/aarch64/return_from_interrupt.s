# Rule: what ends by a return from an exception was not called: registers have what
# was interrupted, and x30 has its return address.
# options: -e
# expect: signal:1
# expect: silent 20 
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	ldp	x29, x30, [sp], #16
	eret
	.cfi_endproc
	.globl	g
	.type	g, @function
g:	.cfi_startproc
	b	g
	.cfi_endproc
