# What is stored by a pointer into the frame is stored: it may be the only copy
# of a saved register, and be mended before the function returns (k).  Where it is
# not mended the function returns something else (g, h), or the pointer has
# changed since, which is not seen (f): it was to an array in the frame at first,
# and is to a larger one elsewhere.
# expect: cfa-differs 0 ra-differs 0 fp-differs 0 unknown 4
# expect: sound:1 return:3
f:	.cfi_startproc
	pushed	%rbp, 16, 6
	sub	$32, %rsp
	.cfi_def_cfa_offset 48
	lea	8(%rsp), %rax
	mov	%rax, (%rsp)
	mov	%rsp, %rdi
	xor	%ebp, %ebp
	call	grow@PLT
	mov	(%rsp), %rax
	mov	%rbp, 24(%rax)
	add	$32, %rsp
	.cfi_def_cfa_offset 16
	popped	%rbp, 8, 6
	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbp, 16, 6
	xor	%ebp, %ebp
	mov	(%rsp), %rbp
	.cfi_restore 6
	mov	%rsp, %rax
	movq	$1, (%rax)
	popped	%rbp, 8
	ret
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rbp, 16, 6
	xor	%ebp, %ebp
	movq	$1, (%rsp)
	popped	%rbp, 8, 6
	ret
	.cfi_endproc
k:	.cfi_startproc
	pushed	%rbx, 16, 3
	pushed	%rbp, 24, 6
	mov	%rbp, %rbx
	mov	%rsp, %rax
	xor	%ebp, %ebp
	movq	$0x1234, (%rax)
	nop
	mov	%rbx, (%rax)
	popped	%rbp, 16, 6
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
