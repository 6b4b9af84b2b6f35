# A callee that got the address of a number on the stack changes it.  The caller
# pops it and moves the stack pointer by it, so it is not known where that is.
# options: -a -g
# expect: rows for 27.59%
# expect: sound:1 return:1
	.type	f, @function
f:	push	$64
	mov	%rsp, %rdi
	call	g
	pop	%rax
	sub	%rax, %rsp
	mov	%rsp, %rdi
	add	%rax, %rsp
	ret
	.type	g, @function
g:	movq	$4096, (%rdi)
	ret
