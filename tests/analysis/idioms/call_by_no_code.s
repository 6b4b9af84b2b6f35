# Rule: what uncertain code calls is not a function.  A pointer leads to data in
# the text, which looks like a call of l, in the middle of g.
# options: -e
	exported	f
f:	.cfi_startproc
	lea	data(%rip), %rax
	ret
	.cfi_endproc
g:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	cmp	$4, %edi
	je	1f
l:	mov	%edi, %eax
	ud2
1:	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
data:	add	%r12, %rax
	call	l
