# Code that only a pointer leads to may be where a handler of a signal returns
# to, if it makes a system call of an unknown number: what it runs into, or what
# returns behind that, shows nothing.  Code that is called is a function.
# link: -static
# options: -g -a
# expect: unproven:3
# expect: 40 executable, rows for 30.00%
	.globl	_start
_start:	bl	called
	brk	#0
loaded:	ldr	x8, number
	svc	#0
	ret
runs_on: ldr	x8, number
	svc	#0
called:	ldr	x8, number
	svc	#0
	ret
	.data
number:	.quad	139
	.quad	loaded
	.quad	runs_on
