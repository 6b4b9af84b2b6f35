# The number of clone () is pushed: its child has another stack.  So has, for all
# that is known, the child of a system call of an unknown number, if the caller
# tells a child from its parent: such a function has no rows.
# options: -g
# expect: system-call:1
# expect: 34 executable, rows for 23.53%
	exported	clone, maybe
clone:	push	%rbx
	push	$56
	pop	%rax
	syscall
	test	%eax, %eax
	jnz	1f
	pop	%rdi
	call	*%r9
	hlt
1:	pop	%rbx
	ret
maybe:	push	%rbx
	mov	%rdi, %rax
	syscall
	test	%eax, %eax
	jnz	1f
	pop	%rdi
	call	*%r9
	hlt
1:	pop	%rbx
	ret
