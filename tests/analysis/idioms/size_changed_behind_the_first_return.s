# Rule: a function that a branch leads on in behind its first return is not known to
# keep rax, as probes of the stack do.
# expect: return:1
	.globl g
	.type g,@function
g:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	$0x2000, %eax
	call	other
	sub	%rax, %rsp
	mov	%rsp, %rdi
	add	$0x2000, %rsp
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
other:	.cfi_startproc
	test	%edi,%edi
	jne	1f
	ret
1:	shr	$1, %rax
	ret
	.cfi_endproc
