# The number of sigreturn () is one like others where nobody calls the kernel.
# expect: equal 100.000%
# expect: sound:1
f:	.cfi_startproc
	mov	$15, %eax
	ret
	.cfi_endproc
