// A little of everything that CFI says on AArch64, as input of the fault test.
// SPDX-License-Identifier: LGPL-2.1-or-later
	.text
	.globl	plain
	.type	plain, %function
plain:					// frame record, frame pointer
	.cfi_startproc
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	.cfi_def_cfa_register 29
	bl	puts
	bl	getpid
	ldp	x29, x30, [sp], 32
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa 31, 0
	ret
	.cfi_endproc
	.size	plain, . - plain

	.globl	large
	.type	large, %function
large:					// offsets of two bytes
	.cfi_startproc
	sub	sp, sp, #0x800
	.cfi_def_cfa_offset 0x800
	stp	x29, x30, [sp]
	.cfi_offset 29, -0x800
	.cfi_offset 30, -0x7f8
	bl	plain
	ldp	x29, x30, [sp]
	add	sp, sp, #0x800
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	large, . - large

	.globl	signs
	.type	signs, %function
signs:					// return address signed with key A
	.cfi_startproc
	hint	25			// paciasp
	.cfi_window_save
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	bl	plain
	ldp	x29, x30, [sp], 16
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	hint	29			// autiasp
	.cfi_window_save
	ret
	.cfi_endproc
	.size	signs, . - signs

	.globl	signs_b
	.type	signs_b, %function
signs_b:				// and with key B
	.cfi_startproc
	.cfi_b_key_frame
	hint	27			// pacibsp
	.cfi_window_save
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	hint	31			// autibsp
	.cfi_window_save
	ret
	.cfi_endproc
	.size	signs_b, . - signs_b

	.globl	outermost
	.type	outermost, %function
outermost:				// where stacks end
	.cfi_startproc
	.cfi_undefined 30
	mov	x29, #0
	bl	plain
	brk	#1
	.cfi_endproc
	.size	outermost, . - outermost
	.section .note.GNU-stack, "", %progbits
