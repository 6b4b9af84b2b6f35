# What is stored by a pointer into the frame is stored: it may be the only copy
# of a saved register, and be mended before the function returns (k).  Where it is
# not mended the function returns something else (g, h), or the pointer has
# changed since, which is not seen (f): it was to an array in the frame at first,
# and is to a larger one elsewhere.
# expect: cfa-differs 0 ra-differs 0 fp-differs 0 unknown 4
# expect: sound:1 return:3
f:	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
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
	pop	%rbp
	.cfi_restore 6
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
g:	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	xor	%ebp, %ebp
	mov	(%rsp), %rbp
	.cfi_restore 6
	mov	%rsp, %rax
	movq	$1, (%rax)
	pop	%rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
h:	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	xor	%ebp, %ebp
	movq	$1, (%rsp)
	pop	%rbp
	.cfi_restore 6
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
k:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	push	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	mov	%rbp, %rbx
	mov	%rsp, %rax
	xor	%ebp, %ebp
	movq	$0x1234, (%rax)
	nop
	mov	%rbx, (%rax)
	pop	%rbp
	.cfi_restore 6
	.cfi_def_cfa_offset 16
	pop	%rbx
	.cfi_restore 3
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
