# Rule: a jump to another function with another depth than that of a call makes
# both of them doubtful.
# expect: equal 0.000%
f:	.cfi_startproc
	pushed	%rax, 16
	jmp	g
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
