# The frame of -fno-omit-frame-pointer, with leave and with pop.
# expect: equal 100.000%
	exported	f
f:	.cfi_startproc
	pushed	%rbp, 16, 6
	mov	%rsp, %rbp
	.cfi_def_cfa_register 6
	push	%rbx
	.cfi_offset 3, -24
	sub	$24, %rsp
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	1f
	mov	-8(%rbp), %rbx
	.cfi_remember_state
	leave
	.cfi_def_cfa 7, 8
	ret
1:	.cfi_restore_state
	add	$24, %rsp
	pop	%rbx
	pop	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
