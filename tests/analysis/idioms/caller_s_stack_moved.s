# Rule: nothing is said of who calls what comes back with another stack pointer,
# found before that or after: in the two functions the return address is 16 bytes
# farther away between the calls.  The subroutines themselves are not functions.
# options: -g
# expect: 32 executable, rows for 0.00%
	.globl	before, after, save, restore
	.hidden	save, restore
	functions	before, save, restore, after
before:	call	save
	call	restore
	ret
save:	pop	%rax
	push	%rbx
	push	%rbp
	jmp	*%rax
restore: pop	%rax
	pop	%rbp
	pop	%rbx
	jmp	*%rax
after:	call	save
	call	restore
	ret
