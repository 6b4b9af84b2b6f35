# Rule: code of a kernel or a hypervisor chooses which of two stack pointers SP is.
# Of the other one nothing is known, though f comes back to the first.
# expect: return:1
# expect: sound:1
f:	.cfi_startproc
	msr	spsel, #1
	ldr	x1, [sp, #8]
	msr	spsel, #0
	ret
	.cfi_endproc
g:	.cfi_startproc
	msr	daifset, #2
	ret
	.cfi_endproc
