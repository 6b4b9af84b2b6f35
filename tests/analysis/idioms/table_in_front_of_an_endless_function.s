# Rule: a table without a bound ends behind the last entry from which a path returns,
# or gets to code that is reached otherwise.  Behind the tables of f and of i are
# pointers to g and to h, which nothing else leads to, and which never return.  What f
# does in the end does not return either, and belongs to f: an entry that returns is
# behind it in the table.  The handlers of i never return, but jump by the table that i
# itself jumps by.
# options: -e
# expect: cfa-differs 0 ra-differs 0 fp-differs 0
# expect: silent 21 
# expect: sound:2
	exported	f, k
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	jmp	*(%rdx,%rdi,8)
1:	inc	%eax
	hlt
2:	popped	%rbx, 8, 3
	ret
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
table:	.quad	1b, 2b
	.quad	g
handlers: .quad	3b, 4b
	.quad	h
