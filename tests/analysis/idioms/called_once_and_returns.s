# Rule: what returns (g), or leaves for what does (k), comes back to its only
# caller, whatever stands behind the call.
# options: -e
# expect: equal 100.000%
	exported	f, h
g:	.cfi_startproc
	ret
	.cfi_endproc
f:	.cfi_startproc
	pushed	%rax, 16
	call	g
	test	%eax, %eax
	jne	1f
	nop
1:	popped	%rcx, 8
	ret
	.cfi_endproc
k:	.cfi_startproc
	test	%edi, %edi
	je	f
	jmp	f
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rax, 16
	call	k
	test	%eax, %eax
	jne	1f
	nop
1:	popped	%rcx, 8
	ret
	.cfi_endproc
