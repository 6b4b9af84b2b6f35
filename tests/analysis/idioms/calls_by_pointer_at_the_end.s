# Rule: a call by a register or by a word, with padding behind it where a function
# ends, may be that of a function which never returns (-fno-plt).
# expect: sound:4
h:	.cfi_startproc
	pushed	%rax, 16
	call	*die@GOTPCREL(%rip)
	nop
	nop
	.cfi_endproc
i:	.cfi_startproc
	ret
	.cfi_endproc
f:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	call	*%rdi
	nop
	nop
	.cfi_endproc
k:	.cfi_startproc
	ret
	.cfi_endproc
