# Rule: a function that runs into the next one returns as that one does: with the stack
# pointer where that one leaves it, and with the registers that it changes.  Callers have
# no rows that rely on either.
# options: -g
# expect: 54 executable, rows for 40.74%
# expect: sound:3 return:2 callee-moves-stack:1
	.globl	after, after_change
	functions	before, drop, after, before_change, change
	functions	after_change
after:	push	%rbx
	mov	%rsp, %rbx
	sub	$32, %rsp
	call	before
	nop
	mov	%rbx, %rsp
	pop	%rbx
	ret
after_change:
	push	%rbp
	mov	%rsp, %rbp
	sub	$32, %rsp
	call	before_change
	nop
	add	$32, %rsp
	pop	%rbp
	ret
before:	test	%edi, %edi
	test	%esi, %esi
drop:	ret	$16
before_change:
	test	%edi, %edi
	test	%esi, %esi
change:	mov	%rdi, %rbp
	ret
