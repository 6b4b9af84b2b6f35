# Rule: a pointer leads to what is behind the last call of f, and no path returns from
# there: that is g, another function.  What f calls was seen to return to h, and need
# not return to f.
# options: -e
# expect: silent 8 
	exported	f, h
	.macro	begin name
\name:	.cfi_startproc
	pushed	%rbx, 16, 3
	.endm
	begin	f
	test	%edi, %edi
	je	1f
	.cfi_remember_state
	popped	%rbx, 8, 3
	ret
	.cfi_restore_state
1:	call	d
	.cfi_endproc
g:	.cfi_startproc
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
2:	pause
	jmp	2b
	.cfi_endproc
	begin	h
	call	d
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
d:	.cfi_startproc
	test	%eax, %eax
	je	3f
	hlt
3:	ret
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.quad	g
