# Rule: a function that ends in a tail call returns with the stack pointer that the
# other one returns with.  Its callers have no rows where that one moves the stack,
# whether it gets there by a jump or through the GOT.  A jump with a frame (odd) is no
# tail call, and tells nothing of its function.
# options: -g
# expect: sound:3 return:1 tail-call:1 callee-moves-stack:3
	.globl	before, by_jump, by_got, drop, after, after_by_got, odd, calls_odd
	.hidden	by_jump, by_got
	functions	before, by_jump, by_got, drop, after, after_by_got
	functions	odd, calls_odd
	.macro	begin
	push	%rbp
	mov	%rsp, %rbp
	sub	$16, %rsp
	.endm
	.macro	end
	nop
	leave
	ret
	.endm
before:	begin
	call	by_jump
	end
by_jump: test	%edi, %edi
	jmp	drop
by_got:	test	%edi, %edi
	jmp	*drop@GOTPCREL(%rip)
drop:	ret	$16
after:	begin
	call	by_jump
	end
after_by_got: begin
	call	by_got
	end
odd:	push	%rbx
	test	%edi, %edi
	je	drop
	pop	%rbx
	ret
calls_odd: begin
	call	odd
	end
