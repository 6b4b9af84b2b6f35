# alloca: the stack pointer is lost where paths meet, the frame pointer stays.
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbp, 16, 6
	mov	%rsp, %rbp
	.cfi_def_cfa_register 6
1:	sub	%rdi, %rsp
	dec	%rsi
	jne	1b
	push	%rsi
	mov	%rbp, %rsp
	pop	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
