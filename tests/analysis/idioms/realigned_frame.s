# GCC's way to align the stack: the CFA itself is kept in it.
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
	vmovaps	%ymm0, (%rsp)
	mov	-8(%rbp), %r10
	.cfi_def_cfa 10, 0
	leave
	.cfi_restore 6
	lea	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
