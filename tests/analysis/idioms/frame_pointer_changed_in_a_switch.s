# Rule: as in frame_pointer_changed_by_a_callee, where one of the cases of a
# switch changes FP.
# options: -g
# expect: rows for 0.00%
	.globl	caller, chosen
	.hidden	chosen
	functions	caller, chosen
caller:	call	chosen
	ret
chosen:	cmp	$2, %edi
	ja	4f
	lea	table(%rip), %rdx
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	mov	$2, %eax
	ret
2:	mov	%rax, %rbp
	ret
4:	ret
	.section .rodata
	.balign	4
table:	.long	1b - table, 2b - table, 1b - table
