# Rule: a mask does not bound a table.  This one ends where another begins, whose
# address the code computes, too; not at the page of that address, which is only
# half of it and inside of this table.
# expect: equal 100.000%
# expect: silent 0
f:	.cfi_startproc
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	adrp	x1, table
	add	x1, x1, :lo12:table
	and	w0, w0, #7
	ldrsw	x0, [x1, w0, uxtw #2]
	add	x0, x0, x1
	br	x0
1:	movz	x0, #0xffff
	b	4f
2:	adrp	x0, other
	add	x0, x0, :lo12:other
	b	4f
3:	mov	x0, #0
4:	ldr	x30, [sp], #16
	.cfi_restore 30
	.cfi_def_cfa_offset 0
5:	ret
	.cfi_endproc
	.section .rodata
	.balign	4096
	.zero	4088
table:	.word	1b - table, 2b - table, 3b - table
other:	.word	5b - table, 5b - table, 5b - table
