# Rule: a function that a branch leads on in behind its first return is not known to
# keep rax, as probes of the stack do.
# expect: return:1
	.globl g
	.type g,@function
g:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	$0x2000, %eax
	call	other
	sub	%rax, %rsp
	mov	%rsp, %rdi
	add	$0x2000, %rsp
	pop	%rbx
	.cfi_restore 3
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
other:	.cfi_startproc
	test	%edi,%edi
	jne	1f
	ret
1:	shr	$1, %rax
	ret
	.cfi_endproc
