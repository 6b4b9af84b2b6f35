# The value of sbb r,r, or $-1,r and xor r,r does not depend on what the
# register held.
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	sbb	%ebx, %ebx
	mov	%ebx, %eax
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbp, 16, 6
	or	$-1, %rbp
	mov	%rbp, %rax
	popped	%rbp, 8, 6
	ret
	.cfi_endproc
