# Where the compiler knows the index of a switch, it loads one entry of the
# table, and jumps by that.
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	movslq	table+4(%rip), %rax
	lea	table(%rip), %rdx
	add	%rdx, %rax
	jmp	*%rax
1:	ud2
2:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b-table, 2b-table
