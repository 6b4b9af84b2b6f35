# Rule: a register that a callee changes does not say where the frame is.
# options: -g
# expect: 23 executable, rows for 0.00%
	.globl	frame, clobber
	.hidden	clobber
	functions	frame, clobber
frame:	push	%rbx
	mov	%rsp, %rbx
	sub	%rdi, %rsp
	call	clobber
	mov	%rbx, %rsp
	pop	%rbx
	ret
clobber: mov	$1, %ebx
	ret
