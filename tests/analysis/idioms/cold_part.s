# Rule: a part of a function that was moved elsewhere has its state from the
# jump into it, and a leading nop does not make it a function.
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	f.cold
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .text.unlikely, "ax"
cold:	.cfi_startproc
	nop
f.cold:	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	%rbx, %rdi
	call	abort@PLT
	.cfi_endproc
