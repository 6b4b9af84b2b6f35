# What only a pointer leads to is a function if it goes on as functions do: into
# or to one that is called (a, b), to return (c, whose other path leaves for
# what is not certain).  To leave for what only a pointer leads to shows nothing
# (d, e); a function that is called may do so (k).
# options: -e
# expect: sound:7 unproven:2
	.text
a:	nop
g:	ret
b:	jmp	g
c:	test	%edi, %edi
	jne	1f
	ret
1:	jmp	e
d:	jmp	e
e:	jmp	*(%rax)
k:	jmp	p
p:	ret
h:	call	g
	call	k
	ret
	.data
	.p2align 3
	.quad	a, b, c, d, e, p, h
