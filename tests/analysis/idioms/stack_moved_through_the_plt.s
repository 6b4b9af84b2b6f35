# Rule: a function that returns with another stack pointer is known to its callers
# through the PLT, whether it stands behind them or in front, and also where stubs
# begin with endbr64, as Ubuntu and Fedora link.
# options: -g
# link: -shared -z ibtplt
# expect: callee-moves-stack:2
	.globl	before, after, drop
	functions	before, drop, after
before:	push	%rbp
	mov	%rsp, %rbp
	sub	$16, %rsp
	call	drop@PLT
	nop
	leave
	ret
drop:	ret	$16
after:	push	%rbp
	mov	%rsp, %rbp
	sub	$16, %rsp
	call	drop@PLT
	nop
	leave
	ret
