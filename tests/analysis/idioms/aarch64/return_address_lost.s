# Rule: a return goes to the caller only if x30 is what it was.
# expect: return:2
f:	.cfi_startproc
	mov	x9, x30
	bl	h
	ret
	.cfi_endproc
g:	.cfi_startproc
	ret	x9
	.cfi_endproc
h:	.cfi_startproc
	ret
	.cfi_endproc
