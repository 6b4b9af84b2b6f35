# Rule: a jump to a function that never returns does not prove the frame of a
# call, by an import neither: a label may lead there with any frame.
# options: -e
# expect: unproven:2
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	lea	table(%rip), %rax
	add	%rdi, %rax
	jmp	*(%rax)
l1:	mov	$1, %edi
	jmp	*exit@GOTPCREL(%rip)
l2:	mov	$1, %edi
	jmp	*error@GOTPCREL(%rip)
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.align	8
table:	.quad	l1, l2
