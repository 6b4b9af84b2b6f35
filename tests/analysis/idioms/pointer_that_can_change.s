# Rule: what a variable points to when the program starts says nothing of whether
# a call through it returns.
# expect: equal 100.000%
	exported	die
die:	.cfi_startproc
	pushed	%rax, 16
	call	exit@PLT
	.cfi_endproc
	.size	die, . - die
f:	.cfi_startproc
	pushed	%rbx, 16
	call	*own(%rip)
	call	*theirs(%rip)
	call	g
	popped	%rbx, 8
	ret
	.cfi_endproc
g:	.cfi_startproc
	jmp	*own(%rip)
	.cfi_endproc
	.data
own:	.quad	die
theirs:	.quad	abort
