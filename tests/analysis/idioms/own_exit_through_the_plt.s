# Rule: a function of the file that is called by its name, through the PLT, does
# not return if the one in the file does not.
# expect: equal 100.000%
	exported	die
die:	.cfi_startproc
	pushed	%rax, 16
	call	exit@PLT
	.cfi_endproc
	.size	die, . - die
f:	.cfi_startproc
	test	%edi, %edi
	jne	1f
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	die@PLT
	.cfi_def_cfa_offset 8
1:	ret
	.cfi_endproc
