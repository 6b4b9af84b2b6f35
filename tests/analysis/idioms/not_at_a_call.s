# Rule: where there is CFI, a function is one only if its first row is that of a
# call.
# expect: functions 0
trampoline:
	.cfi_startproc
	.cfi_def_cfa_offset 24
	ret	$16
	.cfi_endproc
