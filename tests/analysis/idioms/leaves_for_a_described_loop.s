# The same of what CFI describes (g) and of what a symbol and a return show (s).
# options: -a
# expect: functions 4
# expect: sound:4
	.text
	.globl	g, s
	.type	s, @function
g:	.cfi_startproc
	jmp	g
	.cfi_endproc
s:	ret
a:	jmp	g
b:	jmp	s
	.data
	.p2align 3
	.quad	a, b
