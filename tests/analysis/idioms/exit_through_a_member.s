# Rule: no path runs on behind a call by a pointer of which nothing is known, if
# what is behind the call never returns with the function's own frame: iptables
# leaves by a member of a structure, and another function follows.
# options: -e
# expect: silent 5 
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	test	%edi, %edi
	je	1f
	mov	parameters@GOTPCREL(%rip), %rdx
	jmp	3f
1:	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
3:	.cfi_def_cfa_offset 32
	call	*40(%rdx)
	nop
	.cfi_endproc
g:	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
2:	pause
	jmp	2b
	.cfi_endproc
