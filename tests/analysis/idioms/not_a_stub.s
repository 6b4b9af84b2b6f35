# Rule: a function that does something before it jumps to an imported one is not a
# stub of that one: error gets another argument than the function (f), and what only
# reads the address of exit returns (k).
# expect: equal 100.000%
	exported	f, h
tell:	.cfi_startproc
	xor	%edi, %edi
	jmp	*error@GOTPCREL(%rip)
	.cfi_endproc
k:	.cfi_startproc
	mov	exit@GOTPCREL(%rip), %rax
	ret
	.cfi_endproc
f:	.cfi_startproc
	pushed	%rax, 16
	mov	$1, %edi
	call	tell
	popped	%rcx, 8
	ret
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rax, 16
	mov	$1, %edi
	call	k
	popped	%rcx, 8
	ret
	.cfi_endproc
