# Rule: a function does not run into the next one with another depth; here
# nothing is said of the one that does, and the next one is not harmed.
# expect: runs-into:1
# expect: sound:1
f:	.cfi_startproc
	sub	$24, %rsp
	mov	%rdi, (%rsp)
	.cfi_endproc
g:	.cfi_startproc
	mov	%rdi, %rax
	ret
	.cfi_endproc
