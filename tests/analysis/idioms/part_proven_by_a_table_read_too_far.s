# Rule: what a table without a bound leads to does not show that a pointer leads to
# a function: behind the end of the table there may be pointers to functions.  The
# part of f is the first entry of the table that f jumps by, and leads to that jump;
# g returns, but no path goes there.
# options: -e
	exported	z
part:	.cfi_startproc
	.cfi_def_cfa_offset 32
	mov	(%rax), %rcx
	jmp	1f
	.cfi_endproc
f:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
1:	call	h
	lea	table(%rip), %rdx
	jmp	*(%rdx,%rax,8)
2:	mov	(%r8), %r8
	jmp	2b
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
h:	.cfi_startproc
	mov	%rdi, %rax
	ret
	.cfi_endproc
z:	.cfi_startproc
	jmp	h
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.balign	8
table:	.quad	part, 2b, part
	.quad	g, f, h, z
