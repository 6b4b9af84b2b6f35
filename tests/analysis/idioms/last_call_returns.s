# Rule: that a call is the last instruction of a function does not mean that
# its callee never returns: g does, and f calls it.
# expect: equal 100.000%
g:	.cfi_startproc
	ret
	.cfi_endproc
f:	.cfi_startproc
	pushed	%rbx, 16
	call	g
	popped	%rbx, 8
	ret
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rax, 16
	call	g
	.cfi_endproc
i:	.cfi_startproc
	ret
	.cfi_endproc
