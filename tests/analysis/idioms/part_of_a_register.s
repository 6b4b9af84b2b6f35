# A part of a register that is cleared does not use what the register held: so
# does Free Pascal.  And what is called only by such a function is one, too.
# options: -e
# expect: equal 100.000% cfa-differs 0 ra-differs 0 fp-differs 0
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	xor	%r12b, %r12b
	call	g
	pop	%r12
	.cfi_restore 12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
