# Rule: the child that clone () makes has another stack, where nothing says how
# to unwind: its way ends.  A child with a copy of its parent's has its frame,
# too.  No row holds for both before they part.
# options: -g
# expect: 32 executable, rows for 71.88%
	exported	clone, fork
clone:	xor	%eax, %eax
	mov	$56, %al
	syscall
	test	%eax, %eax
	jnz	1f
	pop	%rdi
	call	*%r9
	hlt
1:	ret
fork:	mov	$56, %eax
	xor	%esi, %esi
	syscall
	test	%eax, %eax
	jnz	1f
	inc	%eax
1:	ret
