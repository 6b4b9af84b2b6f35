# Code that only a pointer leads to may be where a handler of a signal returns
# to, if it makes a system call of an unknown number: what it runs into, or what
# returns behind that, shows nothing.  Code that is called is a function.
# link: -static
# options: -g -a
# expect: unproven:3
# expect: 49 executable, rows for 20.41%
	.globl	_start
_start:	lea	loaded(%rip), %rax
	lea	runs_on(%rip), %rax
	call	called
	hlt
loaded:	mov	number(%rip), %rax
	syscall
	ret
runs_on: mov	number(%rip), %rax
	syscall
called:	mov	number(%rip), %rax
	syscall
	ret
	.data
number:	.quad	15
