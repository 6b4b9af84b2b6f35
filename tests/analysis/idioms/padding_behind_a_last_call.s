# Rule: padding behind the last call of a function is part of nothing, also
# when the callee returns otherwise: h does not run into i.
# expect: equal 100.000%
g:	.cfi_startproc
	ret
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rax, 16
	call	g
	nop
	nop
	.cfi_endproc
i:	.cfi_startproc
	ret
	.cfi_endproc
f:	.cfi_startproc
	test	%edi, %edi
	jne	1f
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	h
	.cfi_def_cfa_offset 8
1:	ret
	.cfi_endproc
