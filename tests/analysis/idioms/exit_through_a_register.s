# Rule: no path runs from a call of a register, which nothing shows to come back,
# over an address that a pointer leads to.
# options: -e
# expect: silent 5 
	exported	f
f:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	test	%edi, %edi
	je	1f
	jmp	3f
1:	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
3:	.cfi_def_cfa_offset 32
	call	*%rdi
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rax, 16
2:	pause
	jmp	2b
	.cfi_endproc
	.data
	.align	8
other:	.quad	g
