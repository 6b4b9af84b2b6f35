# Rule: a call of an imported function that never returns ends the path.  What
# follows it here has another depth.
# expect: equal 100.000%
f:	.cfi_startproc
	test	%edi, %edi
	jne	1f
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	abort@PLT
	.cfi_def_cfa_offset 8
1:	ret
	.cfi_endproc
