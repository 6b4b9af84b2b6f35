# Rule: a table without a bound ends behind the last entry from which a path returns,
# or gets to code that is reached otherwise.  Behind the table of f is a pointer to g,
# which nothing else leads to, and which never returns.
# options: -e
# expect: silent 12 
# expect: sound:1
	exported	f
f:	.cfi_startproc
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	adrp	x1, table
	add	x1, x1, :lo12:table
	ldr	x2, [x1, x0, lsl #3]
	br	x2
1:	mov	x0, #1
2:	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
g:	.cfi_startproc
	sub	sp, sp, #48
	.cfi_def_cfa_offset 48
3:	yield
	b	3b
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.balign	8
table:	.xword	1b, 2b, g
