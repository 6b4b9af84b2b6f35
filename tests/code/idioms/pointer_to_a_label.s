# Rule: where a pointer leads is no function if the code in front goes on there.
# Neither l1 nor l2 has the frame of a call.
# options: -e
# expect: cfa-differs 0
# expect: runs-into:1
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	sub	$16, %rsp
	.cfi_def_cfa_offset 24
	lea	table(%rip), %rax
	jmp	*8(%rax)
l1:	inc	%rdi
l2:	inc	%rdi
	jmp	*%rcx
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.align	8
table:	.quad	l1, l2
