# Rule: aligned calls and saved registers do not make a function of what never
# returns if only a number leads there: the number may lead into an instruction
# behind two pushes.
# options: -e
# link: -static -no-pie -Wl,-e,f
	exported	f
f:	.cfi_startproc
	lea	12(%rdi), %eax
	ret
	.cfi_endproc
	.cfi_startproc
	pushed	%rbx, 16, 3
	pushed	%r12, 24, 12
1:	pushed	%r13, 32, 13
	pushed	%r14, 40, 14
	sub	$8, %rsp
	.cfi_def_cfa_offset 48
	mov	%rdi, %r14
	call	g
	mov	%r14, %rdi
	call	h
	.cfi_endproc
g:	ret
h:	jmp	h
	.data
	.quad	1b + 1
