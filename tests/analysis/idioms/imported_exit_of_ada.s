# Rule: calls of GNAT's runtime where a check has failed never return.  What
# follows them here has another depth.
# expect: equal 100.000%
f:	.cfi_startproc
	test	%edi, %edi
	je	1f
	js	3f
	jp	2f
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	__gnat_rcheck_CE_Range_Check@PLT
	.cfi_def_cfa_offset 8
1:	ret
2:	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	call	__gnat_raise_exception@PLT
	.cfi_def_cfa_offset 8
3:	ret
	.cfi_endproc
