# A function whose last call is of one that has to be followed first, and
# returns to others, is not continued by what follows it: h does not return.
# expect: equal 100.000%
g:	.cfi_startproc
	ret
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rax, 16
	call	g
	nopw	0(%rax,%rax,1)
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
