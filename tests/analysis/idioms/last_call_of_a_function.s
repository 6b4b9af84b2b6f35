# Rule: what a function does not return from, but a pointer leads to, may be its
# last call.  The next function is not part of it, so h does not return, and the
# path in f ends at its call.
# expect: equal 100.000%
h:	.cfi_startproc
	pushed	%rax, 16
	call	*%rdi
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
