# Functions that do not move their callers' stacks, though they end as those do:
# a jump to what is popped beside the return address (f), by way of memory (g),
# and a return that is no return (k).  What calls them has its rows.
# options: -g
# expect: rows for 100.00%
	.globl	call_f, call_g
	.type	call_f, @function
	.type	call_g, @function
call_f:	sub	$8, %rsp
	call	f
	add	$8, %rsp
	ret
call_g:	sub	$8, %rsp
	call	g
	add	$8, %rsp
	ret
f:	mov	(%rsp), %rax
	jmp	*8(%rdi)
g:	mov	(%rdi), %rax
	jmp	*%rax
