# Rule: of an SP that moves by SVE vectors nothing is known, and who returns
# with it is not believed, though it comes back.
# expect: return:1
# expect: sound:1
	.arch	armv8-a+sve
f:	.cfi_startproc
	addvl	sp, sp, #-1
	str	z8, [sp]
	ldr	z8, [sp]
	addvl	sp, sp, #1
	ret
	.cfi_endproc
g:	.cfi_startproc
	cntb	x0
	ret
	.cfi_endproc
