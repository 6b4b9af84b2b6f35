# A little of everything that CFI says on s390x, as input of the fault test.
# SPDX-License-Identifier: LGPL-2.1-or-later
	.text
	.globl	plain
	.type	plain, @function
plain:					# RA and FP on the stack
	.cfi_startproc
	stmg	%r11,%r15,88(%r15)
	.cfi_offset 11, -72
	.cfi_offset 14, -48
	.cfi_offset 15, -40
	lay	%r15,-160(%r15)
	.cfi_def_cfa_offset 320
	lgr	%r11,%r15
	.cfi_def_cfa_register 11
	brasl	%r14,puts@plt
	lmg	%r11,%r15,248(%r11)
	.cfi_restore 15
	.cfi_restore 14
	.cfi_restore 11
	.cfi_def_cfa 15, 160
	br	%r14
	.cfi_endproc
	.size	plain, . - plain

	.globl	large
	.type	large, @function
large:					# offsets of two bytes
	.cfi_startproc
	aghi	%r15,-8192
	.cfi_def_cfa_offset 8352
	aghi	%r15,8192
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc
	.size	large, . - large

	.globl	fp_only
	.type	fp_only, @function
fp_only:				# FP saved, RA not
	.cfi_startproc
	stg	%r11,88(%r15)
	.cfi_offset 11, -72
	lghi	%r11,1
	lg	%r11,88(%r15)
	.cfi_restore 11
	br	%r14
	.cfi_endproc
	.size	fp_only, . - fp_only

	.globl	in_register
	.type	in_register, @function
in_register:				# FP in a floating-point register
	.cfi_startproc
	ldgr	%f1,%r11
	.cfi_register 11, 17
	lghi	%r11,1
	lgdr	%r11,%f1
	.cfi_restore 11
	br	%r14
	.cfi_endproc
	.size	in_register, . - in_register

	.globl	outermost
	.type	outermost, @function
outermost:				# where stacks end
	.cfi_startproc
	.cfi_undefined 14
	lghi	%r11,0
	brasl	%r14,plain
	j	.
	.cfi_endproc
	.size	outermost, . - outermost
	.section .note.GNU-stack, "", @progbits
