# Rule: cmps and scas move their pointers on, as other string instructions do.
# options: -a
# expect: equal 54.545% cfa-differs 0 ra-differs 0 fp-differs 0 unknown 15
	exported	scan
scan:	.cfi_startproc
	pushed	%rbx, 16
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
	popped	%rbx, 8
	ret
	.cfi_endproc
