# Behind a call that may not return the end of a part is not one that the
# compiler knew: by a register, too.
# expect: equal 4.545%
# expect: runs-into:1
	.text
f:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	f.cold
	pop	%rbx
	.cfi_restore 3
	.cfi_def_cfa_offset 8
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
