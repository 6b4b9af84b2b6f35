# What only a pointer leads to is a function if it goes on as functions do: into
# or to one that is called (a, b), to return (c, whose other path leaves for
# what is not certain).  To leave for what only a pointer leads to shows nothing
# (d, e), even if that returns (m); a function that is called may do so (k).  What
# runs into the target of a pointer has passed a label (n).
# options: -e
# expect: sound:8 runs-into:1 unproven:3
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
m:	jmp	p
n:	nop
q:	ret
h:	call	g
	call	k
	call	q
	ret
	.data
	.p2align 3
	.quad	a, b, c, d, e, p, m, n, q, h
