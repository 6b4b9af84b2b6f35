# Rule: as in frame_pointer_changed_by_a_callee, of a subroutine inside of what
# CFI describes as one function.
# options: -a -g
# expect: 13 executable, rows for 23.08%
	exported	caller, whole
caller:	call	.Lpart
	ret
whole:	.cfi_startproc
	xor	%eax, %eax
	ret
.Lpart:	mov	%rax, %rbp
	ret
	.cfi_endproc
