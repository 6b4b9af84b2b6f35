# Rule: no row has the return address below the stack pointer.  Y and W are
# entered behind a frame record that was popped.  Y saves the address elsewhere;
# W does not, and moves the stack pointer by a number that is not known.
# options: -e
# link: -static
# expect: 64 equal 100.000%
	.globl	_start
_start:	mov	x0, #0
	bl	X
	bl	V
	mov	x0, #0
	bl	Z
	mov	x8, #93
	svc	#0
g:	ret
X:	stp	x29, x30, [sp, #-96]!
	mov	x29, sp
	bl	g
	ldp	x29, x30, [sp], #96
	b	Y
V:	stp	x29, x30, [sp, #-96]!
	mov	x29, sp
	bl	g
	ldp	x29, x30, [sp], #96
	b	W
# Comes to both in a way that is not understood, so that these are parts.
Z:	str	x30, [sp, #-16]!
	adr	x1, 1f
	add	x1, x1, x0, lsl #2
	br	x1
1:	ldr	x30, [sp], #16
	cbz	x0, W
	b	Y
Y:	.cfi_startproc
	str	x30, [sp, #-64]!
	.cfi_def_cfa_offset 64
	.cfi_offset 30, -64
	stp	x20, x19, [sp, #16]
	.cfi_offset 20, -48
	.cfi_offset 19, -40
	mov	x19, x0
	cbz	x19, 1f
	bl	g
1:	ldp	x20, x19, [sp, #16]
	ldr	x30, [sp], #64
	.cfi_def_cfa_offset 0
	.cfi_restore 30
	ret
	.cfi_endproc
W:	.cfi_startproc
	str	x29, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	mov	x29, sp
	.cfi_def_cfa 29, 16
	and	x1, x0, #0x7ffffff0
	sub	sp, sp, x1
	strb	wzr, [sp]
	mov	sp, x29
	.cfi_def_cfa 31, 16
	ldr	x29, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 29
	ret
	.cfi_endproc
