# A function that probes the pages of a large frame gets its size in rax, and
# leaves it there to be subtracted (f).  One that writes rax is none (g).
# expect: sound:3 return:1
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	$0x2000, %eax
	call	probe
	sub	%rax, %rsp
	.cfi_adjust_cfa_offset 0x2000
	mov	%rsp, %rdi
	add	$0x2000, %rsp
	.cfi_adjust_cfa_offset -0x2000
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	$0x2000, %eax
	call	other
	sub	%rax, %rsp
	.cfi_adjust_cfa_offset 0x2000
	mov	%rsp, %rdi
	add	$0x2000, %rsp
	.cfi_adjust_cfa_offset -0x2000
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
probe:	.cfi_startproc
	pushed	%rbp, 16, 6
	mov	%rsp, %rbp
	.cfi_def_cfa_register 6
	mov	%rax, %r11
1:	sub	$0x1000, %rsp
	test	%rsp, 8(%rsp)
	sub	$0x1000, %r11
	cmp	$0x1000, %r11
	ja	1b
	leave
	.cfi_restore 6
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
other:	.cfi_startproc
	test	%rsp, -0x1000(%rsp)
	shr	$1, %rax
	ret
	.cfi_endproc
