# Rule: the address of a jump table may be in a register that calls change, but not
# the function that is called.  The callees of g and h change the register.
# expect: equal 41.176%
# expect: sound:4 unresolved-jump:2
	.macro	caller name callee
	.globl	\name
	.type	\name, %function
\name:	.cfi_startproc
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	str	x19, [sp, 16]
	.cfi_offset 19, -16
	mov	x19, x0
	adrp	x10, table_\name
	add	x10, x10, :lo12:table_\name
1:	ldrb	w0, [x19], 1
	cmp	w0, 1
	b.hi	4f
	ldr	w0, [x10, w0, uxtw 2]
	adr	x1, 2f
	add	x0, x1, w0, sxtw
	br	x0
2:	mov	x0, x19
	bl	\callee
	b	1b
3:	ldrb	w1, [x19], 1
	b	1b
4:	ldr	x19, [sp, 16]
	ldp	x29, x30, [sp], 32
	.cfi_restore 29
	.cfi_restore 30
	.cfi_restore 19
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.section .rodata
	.balign	4
table_\name:
	.word	2b - 2b, 3b - 2b
	.text
	.endm
	.text
	caller	f, leaves
	caller	g, writes
	caller	h, moves_on
leaves:	.cfi_startproc
	cbz	w0, 1f
	sub	w0, w0, 1
	b	leaves
1:	ret
	.cfi_endproc
writes:	.cfi_startproc
	mov	w10, 0
	ret
	.cfi_endproc
moves_on:
	.cfi_startproc
	ldr	w0, [x10], 4
	ret
	.cfi_endproc
