# Rule: a function of the file that is called by its name, through the PLT, does
# not return if the one in the file does not.
# expect: equal 100.000%
	.globl	die
	.type	die, %function
die:	.cfi_startproc
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	bl	exit
	.cfi_endproc
	.size	die, . - die
f:	.cfi_startproc
	cbnz	w0, 1f
	sub	sp, sp, #32
	.cfi_def_cfa_offset 32
	bl	die
	.cfi_def_cfa_offset 0
1:	ret
	.cfi_endproc
