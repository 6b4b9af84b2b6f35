# Rule: code that leaves by an array of addresses may be a handler of an
# interpreter, and have its frame.  Its symbol does not show that it is a
# function.
# options: -g
# expect: unproven:2
# expect: rows for 0.00%
	exported	increment, decrement
increment:
	inc	%rdx
	movzbl	(%rdi), %eax
	jmp	*(%r11,%rax,8)
decrement:
	dec	%rdx
	movzbl	(%rdi), %eax
	mov	(%r11,%rax,8), %rax
	jmp	*%rax
