# Rule: as in caller_s_stack_moved, of a subroutine that takes its caller's words
# off the stack with a return address of its own making.
# options: -g
# expect: rows for 0.00%
	.globl	before, after, drop
	.hidden	drop
	functions	before, drop, after
before:	call	drop
	ret
drop:	pop	%rax
	add	$16, %rsp
	push	%rax
	ret
after:	call	drop
	ret
