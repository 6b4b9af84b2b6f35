# Rule: cmps and scas move their pointers on, as other string instructions do.
# options: -a
# expect: equal 54.545% cfa-differs 0 ra-differs 0 fp-differs 0 unknown 15
	.globl	scan
	.type	scan, @function
scan:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	mov	%rsp, %rbx
	sub	$16, %rsp
	.cfi_def_cfa_offset 32
	mov	%rsp, %rdi
	scasq
	mov	%rdi, %rsp
	.cfi_def_cfa_offset 24
	nop
	nop
	mov	%rsp, %rsi
	cmpsq
	mov	%rsi, %rsp
	.cfi_def_cfa_offset 16
	nop
	nop
	mov	%rbx, %rsp
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
