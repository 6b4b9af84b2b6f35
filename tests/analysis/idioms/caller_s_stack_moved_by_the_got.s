# Rule: as in caller_s_stack_moved, where calls go by way of the GOT.
# options: -g
# expect: rows for 0.00%
	.globl	before, after, save, restore
	functions	before, save, restore, after
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
