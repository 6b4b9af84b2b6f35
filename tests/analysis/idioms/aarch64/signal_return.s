# Where the handler of a signal returns to is not a function, though C libraries
# give it the symbol of one.
# options: -a
# expect: signal:1
	.globl	restore, f
	.type	restore, %function
	.type	f, %function
restore: mov	x8, #139
	svc	#0
f:	.cfi_startproc
	mov	x1, x0
	ret
	.cfi_endproc
