# What leads to a function with the frame of a call is one: by nothing but
# padding in front of it (a), by a branch (b).  What was seen to return stays one
# where another path leaves for what is none (c, d).
# options: -a
# expect: sound:5 unproven:1
	.text
	exported	a, b, c, d
a:	nop
f:	.cfi_startproc
	ret
	.cfi_endproc
c:	test	%edi, %edi
	jne	1f
	ret
1:	jmp	d
d:	jmp	*(%rdi)
b:	cmp	$1, %edi
	ja	g
1:	jmp	1b
g:	.cfi_startproc
	ret
	.cfi_endproc
