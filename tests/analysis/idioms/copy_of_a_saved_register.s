# A register that the caller wants back is used: by way of a copy (f), and
# beside one that was saved and may be used (g).
# expect: saved-register-used:2
f:	.cfi_startproc
	mov	%rbx, %rax
	mov	%eax, %ecx
	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	(%rbx, %r12), %eax
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
