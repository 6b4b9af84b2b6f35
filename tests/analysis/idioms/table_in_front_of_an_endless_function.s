# Rule: a table without a bound ends behind the last entry from which a path returns,
# or gets to code that is reached otherwise.  Behind the tables of f and of i are
# pointers to g and to h, which nothing else leads to, and which never return.  The
# second entry of f's table does not return either, and belongs to f: the third does.
# It calls n, which nobody knows when f is followed first.  The handlers of i never
# return, but jump by the table that i itself jumps by.
# options: -e
# expect: silent 21 
# expect: sound:3
	exported	f, k
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	jmp	*(%rdx,%rdi,8)
	.cfi_remember_state
1:	inc	%eax
	hlt
2:	popped	%rbx, 8, 3
	ret
	.cfi_restore_state
6:	call	n
	jmp	2b
	.cfi_endproc
i:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	lea	handlers(%rip), %rdx
	jmp	*(%rdx,%rdi,8)
3:	inc	%rdi
	jmp	*(%rdx,%rdi,8)
4:	dec	%rdi
	jmp	*(%rdx,%rdi,8)
	.cfi_endproc
n:	.cfi_startproc
	ret
	.cfi_endproc
k:	.cfi_startproc
	pushed	%rbx, 16, 3
	call	i
	.cfi_endproc
g:	.cfi_startproc
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
5:	pause
	jmp	5b
	.cfi_endproc
h:	.cfi_startproc
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	inc	%eax
	hlt
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.balign	8
table:	.quad	2b, 1b, 6b
	.quad	g
handlers: .quad	3b, 4b
	.quad	h
