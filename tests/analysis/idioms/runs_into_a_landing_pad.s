# Rule: nobody goes on with an exception who did not get one.  The compiler knew
# that nothing comes behind the store in f.cold, so what is there belongs to
# another function, with another frame (gdb has this case).
# options: -e
# expect: unwinds:2
	exported	f
f:	.cfi_startproc
	sub	$16, %rsp
	.cfi_def_cfa_offset 24
	test	%rax, %rax
	jne	f.cold
	add	$16, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	exported	g
g:	.cfi_startproc
	ret
	.cfi_endproc
f.cold:	.cfi_startproc
	.cfi_def_cfa_offset 24
	mov	%rdx, 32(%rax)
	.cfi_endproc
g.cold:	.cfi_startproc
	.cfi_def_cfa_offset 112
	mov	%rbx, %rdi
	call	_Unwind_Resume@plt
	.cfi_endproc
# By way of the GOT.
	exported	i
i:	.cfi_startproc
	sub	$16, %rsp
	.cfi_def_cfa_offset 24
	test	%rax, %rax
	jne	i.cold
	add	$16, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	exported	j
j:	.cfi_startproc
	ret
	.cfi_endproc
i.cold:	.cfi_startproc
	.cfi_def_cfa_offset 24
	mov	%rdx, 32(%rax)
	.cfi_endproc
j.cold:	.cfi_startproc
	.cfi_def_cfa_offset 112
	mov	%rbx, %rdi
	call	*_Unwind_Resume@GOTPCREL(%rip)
	.cfi_endproc
