# A realigned frame with an array whose size is not known: FP still tells where
# the CFA is kept, and the stack pointer comes back from it.
# expect: equal 100.000%
f:	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa 10, 0
	and	$-32, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10,6,2,0x76,0
	push	%r10
	.cfi_escape 0xf,3,0x76,0x78,6
	sub	$104, %rsp
	and	$-16, %rdi
	sub	%rdi, %rsp
	mov	%rsp, %rdi
	call	fill@PLT
	lea	-8(%rbp), %rsp
	pop	%r10
	.cfi_def_cfa 10, 0
	pop	%rbp
	.cfi_restore 6
	lea	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
