# enter makes the frame that leave takes away.
# expect: equal 100.000%
# expect: sound:2
f:	.cfi_startproc
	enter	$32, $0
	.cfi_def_cfa 6, 16
	.cfi_offset 6, -16
	mov	%rdi, -8(%rbp)
	call	g
	leave
	.cfi_def_cfa 7, 8
	.cfi_restore 6
	ret
	.cfi_endproc
g:	.cfi_startproc
	enter	$0, $0
	.cfi_def_cfa 6, 16
	.cfi_offset 6, -16
	pop	%rbp
	.cfi_def_cfa 7, 8
	.cfi_restore 6
	ret
	.cfi_endproc
