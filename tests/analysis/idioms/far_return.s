# A far return takes a selector from the stack, too: it does not show that a
# function begins where its symbol is.
# options: -g
# expect: unproven:1
	exported	f
f:	mov	%rdi, %rax
	lretq
