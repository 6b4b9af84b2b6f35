# Where the program begins, main's address is computed by two instructions.  main
# has rows, the beginning has none.
# link: -static
# options: -e
# expect: silent 12  functions 2
	.globl	_start
_start:	.cfi_startproc
	adrp	x0, main
	add	x0, x0, :lo12:main
	br	x1
	.cfi_endproc
main:	.cfi_startproc
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	mov	x8, #93
	svc	#0
	brk	#0
	.cfi_endproc
