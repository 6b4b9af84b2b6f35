# A jump with a stack pointer from elsewhere and no address of the own stack
# left goes to another context, not to a label of the function.
# expect: sound:2
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	call	g
	mov	8(%rbx), %rsp
	jmp	*%rax
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
