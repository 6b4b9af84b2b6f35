# A part of a register that is cleared does not use what the register held: so
# does Free Pascal.  And what is called only by such a function is one, too.
# options: -e
# expect: equal 100.000%
	exported	f
f:	.cfi_startproc
	pushed	%r12, 16, 12
	xor	%r12b, %r12b
	call	g
	popped	%r12, 8, 12
	ret
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
