// A return address that was never signed is not authenticated: such a path is
// never taken, and what else it says is not to be believed.
# expect: return:1
	.arch armv8.3-a
f:	.cfi_startproc
	retaa
	.cfi_endproc
