# Functions that do not move their callers' stacks, though they end as those do:
# a jump to what is popped beside the return address (f), by way of memory (g),
# and returns that are not returns (k, l).  What calls them has its rows: nothing
# is taken from their registers, either.  The functions k and l have none.
# options: -g
# expect: sound:6 return:2
	exported	call_f, call_g
call_f:	sub	$8, %rsp
	call	f
	add	$8, %rsp
	ret
	exported	call_k, call_l
call_k:	sub	$8, %rsp
	call	k
	add	$8, %rsp
	ret
call_l:	sub	$8, %rsp
	call	l
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
k:	mov	%rdi, %rbp
	push	%rdi
	ret
l:	mov	%rdi, %rbp
	mov	%rdi, (%rsp)
	ret
