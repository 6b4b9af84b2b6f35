# Rule: as in caller_s_stack_moved, where calls go by way of the GOT.
# options: -g
# expect: rows for 0.00%
	.globl	before, after, save, restore
	.type	before, @function
	.type	save, @function
	.type	restore, @function
	.type	after, @function
before:	call	*save@GOTPCREL(%rip)
	call	*restore@GOTPCREL(%rip)
	ret
save:	pop	%rax
	push	%rbx
	push	%rbp
	jmp	*%rax
restore: pop	%rax
	pop	%rbp
	pop	%rbx
	jmp	*%rax
after:	call	*save@GOTPCREL(%rip)
	call	*restore@GOTPCREL(%rip)
	ret
