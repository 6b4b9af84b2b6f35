# A register that the caller wants back is used: by way of a copy (f), and
# beside one that was saved and may be used (g).
# expect: saved-register-used:2
f:	.cfi_startproc
	mov	%rbx, %rax
	mov	%eax, %ecx
	ret
	.cfi_endproc
g:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	lea	(%rbx, %r12), %eax
	pop	%rbx
	.cfi_restore 3
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
