# Rule: error () returns only when its first argument is 0.
# expect: equal 100.000%
f:	.cfi_startproc
	test	%edi, %edi
	jne	1f
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	xor	%edi, %edi
	call	error@PLT
	mov	$1, %edi
	call	error@PLT
	.cfi_def_cfa_offset 8
1:	ret
	.cfi_endproc
