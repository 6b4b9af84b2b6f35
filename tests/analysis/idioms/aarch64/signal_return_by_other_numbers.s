# The number of sigreturn () is one however it comes about: calculated, or kept
# in the stack for a while.  What comes behind is another function.
# link: -static
# options: -g -a
# expect: signal:7
	.globl	_start
_start:	brk	#0
added:	mov	w8, #9
	add	w8, w8, #130
	svc	#0
	ret
ored:	mov	x8, #8
	orr	x8, x8, #3
	orr	x8, x8, #0x80
	svc	#0
	ret
shifted: mov	w8, #278
	lsr	w8, w8, #1
	svc	#0
	ret
spilled: mov	x9, #139
	str	x9, [sp, #-16]!
	ldr	x8, [sp], #16
	svc	#0
	ret
half:	mov	w9, #139
	sub	sp, sp, #16
	str	w9, [sp, #8]
	str	wzr, [sp, #12]
	ldr	w8, [sp, #8]
	svc	#0
	ret
combined: mov	x8, #128
	mov	x9, #11
	orr	x8, x8, x9
	svc	#0
	ret
multiplied: mov	x9, #1
	mov	x8, #139
	mul	x8, x8, x9
	svc	#0
	ret
	.data
	.quad	added
	.quad	ored
	.quad	shifted
	.quad	spilled
	.quad	half
	.quad	combined
	.quad	multiplied
