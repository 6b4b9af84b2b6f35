# Rule: no row where the return address is below the stack pointer: the child of
# vfork () shares the stack, and overwrites it.  Rows are at the first and the
# last two instructions.
# options: -g
# expect: 13 executable, rows for 38.46%
	exported	vfork
vfork:	pop	%rdx
	mov	$58, %eax
	syscall
	push	%rdx
	mov	%rax, %rdi
	ret
