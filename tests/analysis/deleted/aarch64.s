	.arch armv8-a
	.file	"functions.c"
	.text
	.align	2
	.p2align 4,,11
	.global	sum
	.type	sum, %function
sum:
.LFB0:
	.cfi_startproc
	stp	x29, x30, [sp, -64]!
	.cfi_def_cfa_offset 64
	.cfi_offset 29, -64
	.cfi_offset 30, -56
	mov	x29, sp
	stp	x19, x20, [sp, 16]
	cmp	x1, 0
	.cfi_offset 19, -48
	.cfi_offset 20, -40
	ble	.L4
	stp	x21, x22, [sp, 32]
	.cfi_offset 22, -24
	.cfi_offset 21, -32
	mov	x21, x1
	mov	x22, x0
	str	x23, [sp, 48]
	.cfi_offset 23, -16
	mov	x23, x2
	mov	x19, 0
	mov	x20, 0
	.p2align 3,,7
.L3:
	mov	x1, x19
	mov	x0, x22
	add	x19, x19, 1
	bl	next
	madd	x20, x0, x23, x20
	cmp	x21, x19
	bne	.L3
	ldp	x21, x22, [sp, 32]
	.cfi_restore 22
	.cfi_restore 21
	mov	x0, x20
	ldp	x19, x20, [sp, 16]
	ldr	x23, [sp, 48]
	.cfi_restore 23
	ldp	x29, x30, [sp], 64
	.cfi_restore 30
	.cfi_restore 29
	.cfi_restore 19
	.cfi_restore 20
	.cfi_def_cfa_offset 0
	ret
	.p2align 2,,3
.L4:
	.cfi_def_cfa_offset 64
	.cfi_offset 19, -48
	.cfi_offset 20, -40
	.cfi_offset 29, -64
	.cfi_offset 30, -56
	mov	x20, 0
	mov	x0, x20
	ldp	x19, x20, [sp, 16]
	ldp	x29, x30, [sp], 64
	.cfi_restore 30
	.cfi_restore 29
	.cfi_restore 19
	.cfi_restore 20
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
.LFE0:
	.size	sum, .-sum
	.align	2
	.p2align 4,,11
	.global	early
	.type	early, %function
early:
.LFB1:
	.cfi_startproc
	cbz	x0, .L10
	stp	x29, x30, [sp, -48]!
	.cfi_def_cfa_offset 48
	.cfi_offset 29, -48
	.cfi_offset 30, -40
	mov	x29, sp
	stp	x19, x20, [sp, 16]
	.cfi_offset 19, -32
	.cfi_offset 20, -24
	mov	x19, x0
	str	x21, [sp, 32]
	.cfi_offset 21, -16
	mov	x21, x1
	bl	next
	mov	x20, x0
	mov	x1, x20
	mov	x0, x19
	bl	next
	add	x0, x0, x20
	ldr	x1, [x19]
	add	x0, x0, x21
	ldp	x19, x20, [sp, 16]
	add	x0, x0, x1
	ldr	x21, [sp, 32]
	ldp	x29, x30, [sp], 48
	.cfi_restore 30
	.cfi_restore 29
	.cfi_restore 21
	.cfi_restore 19
	.cfi_restore 20
	.cfi_def_cfa_offset 0
	ret
.L10:
	mov	x0, -1
	ret
	.cfi_endproc
.LFE1:
	.size	early, .-early
	.section	.rodata.str1.8,"aMS",@progbits,1
	.align	3
.LC0:
	.string	"above"
	.text
	.align	2
	.p2align 4,,11
	.global	checked
	.type	checked, %function
checked:
.LFB2:
	.cfi_startproc
	stp	x29, x30, [sp, -48]!
	.cfi_def_cfa_offset 48
	.cfi_offset 29, -48
	.cfi_offset 30, -40
	mov	x29, sp
	stp	x19, x20, [sp, 16]
	str	x21, [sp, 32]
	.cfi_offset 19, -32
	.cfi_offset 20, -24
	.cfi_offset 21, -16
	mov	x21, x0
	bl	next
	mov	x19, x0
	mov	x1, x19
	mov	x0, x21
	bl	next
	cmp	x19, x0
	bgt	.L19
	mov	x20, x0
	beq	.L20
.L17:
	sub	x1, x19, x20
	mov	x0, x21
	bl	next
	add	x0, x0, x19
	ldr	x21, [sp, 32]
	add	x0, x0, x20
	ldp	x19, x20, [sp, 16]
	ldp	x29, x30, [sp], 48
	.cfi_remember_state
	.cfi_restore 30
	.cfi_restore 29
	.cfi_restore 21
	.cfi_restore 19
	.cfi_restore 20
	.cfi_def_cfa_offset 0
	ret
.L19:
	.cfi_restore_state
	adrp	x1, .LC0
	mov	x0, x19
	add	x1, x1, :lo12:.LC0
	bl	refuse
.L20:
	bl	warn
	b	.L17
	.cfi_endproc
.LFE2:
	.size	checked, .-checked
	.align	2
	.p2align 4,,11
	.global	variable
	.type	variable, %function
variable:
.LFB3:
	.cfi_startproc
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	.cfi_def_cfa_register 29
	str	x19, [sp, 16]
	.cfi_offset 19, -16
	mov	x19, x0
	add	x0, x0, 15
	mov	x1, x19
	and	x0, x0, -16
	sub	sp, sp, x0
	mov	x0, sp
	bl	use
	add	x1, x19, 1
	mov	x0, sp
	bl	use
	mov	sp, x29
	ldr	x19, [sp, 16]
	ldp	x29, x30, [sp], 32
	.cfi_restore 30
	.cfi_restore 29
	.cfi_restore 19
	.cfi_def_cfa 31, 0
	ret
	.cfi_endproc
.LFE3:
	.size	variable, .-variable
	.ident	"GCC: (Debian 12.2.0-14) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
