# Rule: a part of a function that begins with a nop, because landing pads are
# not at the very beginning, starts no function; glibc's assembler functions,
# which begin with a nop in place of a BTI, are some.
# expect: functions 2
# expect: sound:2
f:	.cfi_startproc
	ret
	.cfi_endproc
g:	.cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	bl	h
	.cfi_endproc
h:	.cfi_startproc
	nop
	ret
	.cfi_endproc
