# Rule: a call of the next instruction is a call, unless what is there takes the
# address from the stack.  Here the next function is called, and exits.
# options: -e
# expect: equal 100.000%
	exported	f
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	test	%edi, %edi
	jne	1f
	pop	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	.cfi_restore 3
	ret
1:	.cfi_restore_state
	call	g
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rax, 16
	call	abort@PLT
	.cfi_endproc
