# Where SP is behind the call of a function that only a pointer leads to rests on
# trust in that function.  A return that needs it there shows that the trust was
# right (f); where SP is taken from elsewhere nothing does, and no row has it (g),
# unless there is a frame pointer (h).
# options: -g
# expect: 44 executable, rows for 88.64%
	exported	f, g, h
f:	push	%rbx
	mov	%rdi, %rbx
	call	*%rsi
	nop
	pop	%rbx
	ret
g:	push	%r12
	mov	%rsp, %r12
	sub	$8, %rsp
	push	$1
	call	*%rax
	nop
	nop
	mov	%r12, %rsp
	pop	%r12
	ret
h:	push	%rbp
	mov	%rsp, %rbp
	sub	$16, %rsp
	call	*%rax
	nop
	nop
	leave
	ret
