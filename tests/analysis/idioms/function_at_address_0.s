# Rule: a call or jump by a pointer is none of the function at address 0, which moves
# the stack (by_pointer, tail_by_pointer and its caller) or leaves rax alone.
# options: -g
# link: -static -Wl,-Ttext=0 -Wl,-e,by_pointer
# expect: sound:4 return:2
	.globl	mover, by_pointer, tail_by_pointer, calls_tail, calls_mover
	functions	mover, by_pointer, tail_by_pointer, calls_tail
	functions	calls_mover, probe
mover:	ret	$16
by_pointer: push %rbx
	call	*%rdi
	pop	%rbx
	ret
tail_by_pointer: jmp *%rdi
calls_tail: push %rbx
	call	tail_by_pointer
	pop	%rbx
	ret
probe:	push	%rbx
	mov	$0x2000, %eax
	call	*%rdi
	sub	%rax, %rsp
	add	$0x2000, %rsp
	pop	%rbx
	ret
calls_mover: push %rbp
	mov	%rsp, %rbp
	xor	%eax, %eax
	leave
	ret
