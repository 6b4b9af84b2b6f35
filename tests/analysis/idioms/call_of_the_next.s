# A call of the next instruction pushes its address.
# expect: equal 100.000%
f:	.cfi_startproc
	call	1f
1:	.cfi_def_cfa_offset 16
	popped	%rax, 8
	ret
	.cfi_endproc
