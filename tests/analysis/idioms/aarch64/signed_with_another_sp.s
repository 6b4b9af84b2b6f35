# Rule: a code made with another SP than that of the call helps nobody who
# unwinds, and a function that does not return by it is not believed.
# expect: return:2
f:	.cfi_startproc
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	paciasp
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	autiasp
	ret
	.cfi_endproc
g:	.cfi_startproc
	paciasp
	autibsp
	ret
	.cfi_endproc
