# Code that asks where it is: x30 changes, and nothing is pushed.
# expect: equal 100.000%
f:	.cfi_startproc
	mov	x9, x30
	.cfi_register 30, 9
	bl	1f
1:	mov	x0, x30
	mov	x30, x9
	.cfi_restore 30
	ret
	.cfi_endproc
