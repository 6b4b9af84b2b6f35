# Rule: what returns (g), or leaves for what does (k), comes back to its only
# caller, whatever stands behind the call.
# options: -e
# expect: equal 100.000% cfa-differs 0 ra-differs 0 fp-differs 0
	.globl	f, h
	.type	f, @function
	.type	h, @function
g:	.cfi_startproc
	ret
	.cfi_endproc
f:	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
	call	g
	test	%eax, %eax
	jne	1f
	nop
1:	pop	%rcx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
k:	.cfi_startproc
	test	%edi, %edi
	je	f
	jmp	f
	.cfi_endproc
h:	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
	call	k
	test	%eax, %eax
	jne	1f
	nop
1:	pop	%rcx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
