# Rule: who calls what returns with FP changed has no rows that say FP is the
# caller's: called directly (before, after), by way of others (chain), and by a
# tail call (by_tail), which is followed last here.  Who saves FP has rows.
# options: -g
# expect: 42 executable, rows for 28.57%
	.globl	before, chain, by_tail, after, keeps, tail
	.hidden	before, tail, clobber
	functions	before, chain, by_tail, clobber, after, keeps, tail
before:	call	clobber
	ret
chain:	call	before
	ret
by_tail: call	tail
	ret
clobber: mov	$1, %ebp
	ret
after:	call	clobber
	ret
keeps:	push	%rbp
	call	clobber
	pop	%rbp
	ret
tail:	xor	%eax, %eax
	jmp	clobber
