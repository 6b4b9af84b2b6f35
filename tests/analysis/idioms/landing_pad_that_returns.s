# Rule: a landing pad behind a call does not show that the call returns, not even
# one that returns itself, as that of f does.
# link: -shared -Wl,-z,norelro
# options: -e
# expect: silent 5 
die:	.cfi_startproc
	ud2
	.cfi_endproc
caught:	.cfi_startproc
	ret
	.cfi_endproc
	exported	f
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	test	%edi, %edi
	je	1f
	call	*word(%rip)
	mov	%rax, %rdi
	call	caught
	popped	%rbx, 8
	ret
1:	.cfi_def_cfa_offset 16
	popped	%rbx, 8
	ret
	.cfi_endproc
	exported	g
g:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	test	%edi, %edi
	je	3f
	jmp	4f
3:	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
4:	.cfi_def_cfa_offset 32
	call	*word(%rip)
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rax, 16
2:	pause
	jmp	2b
	.cfi_endproc
	.data
	.align	8
word:	.quad	die
