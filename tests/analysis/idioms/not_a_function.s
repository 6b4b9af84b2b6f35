# Rule: code that does not restore what belongs to its caller, or uses it, is
# not taken for a function.
# expect: equal 0.000%
# expect: return:3 saved-register-used:1
f:	.cfi_startproc
	xor	%ebx, %ebx
	ret
	.cfi_endproc
g:	.cfi_startproc
	add	%r12, %rdi
	ret
	.cfi_endproc
h:	.cfi_startproc
	pop	%rdi
	ret
	.cfi_endproc
i:	.cfi_startproc
	ret	$8		/* takes an argument off its caller's stack */
	.cfi_endproc
