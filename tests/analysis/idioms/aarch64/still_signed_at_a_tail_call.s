# Rule: a function that is jumped to gets the return address unsigned.
# expect: tail-call:1
f:	.cfi_startproc
	paciasp
	b	g
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
