# Rule: a function (f) that ended with a call, because nothing showed that the call
# returns, goes on when the callee (g) turns out to return.
# options: -e
# expect: equal 100.000%
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	call	g
1:	mov	8(%rbx), %rdi
	call	h
	jmp	1b
	.cfi_endproc
g:	.cfi_startproc
	mov	$8, %edx
	jmp	h
	.cfi_endproc
	exported	h
h:	.cfi_startproc
	mov	%rdi, %rax
	ret
	.cfi_endproc
	exported	i
i:	.cfi_startproc
	lea	f(%rip), %rax
	ret
	.cfi_endproc
