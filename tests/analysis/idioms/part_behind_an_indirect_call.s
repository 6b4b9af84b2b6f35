# Where a part ends behind a call and some more instructions, the call does not
# return: by a register, too.  Of what is behind it nothing is said.
# expect: equal 81.818%
# expect: silent 4
# expect: sound:2
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	f.cold
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .text.unlikely, "ax"
f.cold:	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	call	*%rax
	mov	%rbx, 56(%rdi)
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
