# The pointer is to an array in the frame at first, and to a larger one
# elsewhere later; that is not seen, but nobody overwrites what the caller wants
# back (f).  Once the register was restored, something else can be put there (g),
# and what is stored by the stack pointer is stored (h): both return it.
# expect: cfa-differs 0 ra-differs 0 fp-differs 0
# expect: sound:1 return:2
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
