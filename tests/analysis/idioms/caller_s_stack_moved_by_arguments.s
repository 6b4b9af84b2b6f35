# Rule: as in caller_s_stack_moved, of a function that takes its arguments off
# the stack when it returns, with or without CFI.
# options: -g
# expect: callee-moves-stack:2
# expect: rows for 0.00%
	.globl	before, after, drop
	.hidden	drop
	functions	before, drop, after
before:	push	%rbp
	mov	%rsp, %rbp
	sub	$16, %rsp
	call	drop
	leave
	ret
drop:	.cfi_startproc
	ret	$16
	.cfi_endproc
after:	push	%rbp
	mov	%rsp, %rbp
	sub	$16, %rsp
	call	drop
	leave
	ret
