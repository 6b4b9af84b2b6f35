# Rule: where a pointer leads is not a function if the code in front goes on there
# with another frame.  l1 has not the frame of a call; l2 has, but what is in
# front of it shows that it was not meant as a function.
# options: -e
# expect: equal 0.000%
# expect: runs-into:1
	exported	f
f:	.cfi_startproc
	sub	$16, %rsp
	.cfi_def_cfa_offset 24
	lea	table(%rip), %rax
	jmp	*8(%rax)
l1:	add	$16, %rsp
	.cfi_def_cfa_offset 8
l2:	inc	%rdi
	ret
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.align	8
table:	.quad	l1, l2
