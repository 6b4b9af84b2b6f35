# Rule: what ends by a return from an interrupt, or to a user's program, was not
# called: the processor has put more than an address on the stack.
# options: -g
# expect: signal:3
# expect: rows for 0.00%
	.globl	f
	.type	f, @function
f:	lea	interrupt(%rip), %rax
	lea	fault(%rip), %rax
	lea	user(%rip), %rax
	hlt
interrupt:
	push	%rbx
	mov	%rdi, %rbx
	call	*handler(%rip)
	pop	%rbx
	iretq
fault:	push	%rbx
	mov	16(%rsp), %rbx
	call	*handler(%rip)
	pop	%rbx
	add	$8, %rsp
	iretq
user:	push	%rbx
	mov	%rdi, %rbx
	call	*handler(%rip)
	pop	%rbx
	sysretq
	.bss
handler: .quad	0
