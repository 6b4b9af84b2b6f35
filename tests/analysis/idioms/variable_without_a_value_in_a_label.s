# What a pointer leads to may be a label: it is not sure that code there has
# saved a register of its caller's, so that using that says that it is one (f).
# Where somebody calls it, it is a function (g, and h, which calls it).
# options: -e
# expect: sound:2 saved-register-used:1
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%ebx, %eax
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%ebx, %eax
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
h:	.cfi_startproc
	call	g
	ret
	.cfi_endproc
	.data
	.p2align 3
	.quad	f, h
