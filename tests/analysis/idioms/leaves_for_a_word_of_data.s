# A jump through the GOT goes to a function, of this image, too (f).  A jump
# through a word of data (g) may go to a label: g may be the handler of threaded
# code.
# options: -g
# expect: sound:2 unproven:1
	exported	f, g, h
f:	xor	%eax, %eax
	jmp	*h@GOTPCREL(%rip)
g:	xor	%eax, %eax
	jmp	*word(%rip)
h:	ret
	.data
	.p2align 3
word:	.quad	imported
