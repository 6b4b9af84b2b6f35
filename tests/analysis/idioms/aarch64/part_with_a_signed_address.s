# Rule: code that begins with a signed return address is a part of a function.
# expect: functions 1
f:	.cfi_startproc
	ret
	.cfi_endproc
g:	.cfi_startproc
	.cfi_negate_ra_state
	autiasp
	.cfi_negate_ra_state
	ret
	.cfi_endproc
