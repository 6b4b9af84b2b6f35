# Rule: a part of a function that begins with a nop, because landing pads are
# not at the very beginning, starts no function.
# expect: functions 1
f:	.cfi_startproc
	ret
	.cfi_endproc
g:	.cfi_startproc
	nop
	ret
	.cfi_endproc
