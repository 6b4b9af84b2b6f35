# What only a pointer leads to is a function if it leaves for one that a symbol and
# a return show (b, for s).  CFI that describes what never returns (g, for which a
# leaves) is not enough: a thunk for indirect jumps has such CFI.
# options: -a
# expect: functions 4
# expect: sound:3 unproven:1
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
