# A symbol alone does not say that code begins with the frame of a call: f never
# leaves, and is entered with 16 bytes more on the stack.
# options: -a
# expect: sound:1 unproven:1
	exported	f, g
f:	lea	24(%rsp), %rdi
	mov	%rbx, (%rsp)
	call	*(%rax)
	ud2
g:	.cfi_startproc
	mov	%rdi, %rax
	ret
	.cfi_endproc
