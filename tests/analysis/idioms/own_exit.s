# Rule: whether a function of the file returns is found out, also through
# recursion and tail calls.
# expect: equal 100.000%
die:	.cfi_startproc
	test	%edi, %edi
	je	quit
	pushed	%rax, 16
	call	die
	.cfi_endproc
quit:	.cfi_startproc
	pushed	%rax, 16
	call	exit@PLT
	.cfi_endproc
f:	.cfi_startproc
	test	%edi, %edi
	jne	1f
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	die
	.cfi_def_cfa_offset 8
1:	ret
	.cfi_endproc
