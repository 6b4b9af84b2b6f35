# Rule: a landing pad behind a call says that the call may throw, not that it
# returns.  The pad in f goes on with registers of f, but takes the exception
# first.  So h, behind such a call and known by nothing, is not part of g.
# link: -shared -Wl,-z,norelro
# options: -e
# expect: silent 16 
die:	.cfi_startproc
	ud2
	.cfi_endproc
	exported	f
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	test	%edi, %edi
	je	1f
	call	*word(%rip)
	mov	%rax, %rdi
	mov	%rbx, %rsi
	call	die
1:	popped	%rbx, 8
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
