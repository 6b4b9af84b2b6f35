# Rule: where no function returns, as in CHICKEN's code, each of which calls its
# continuation, a function is first taken to go on in all those behind it.  So
# many of these are not too much, and take no rows from the one that returns.
# options: -e
# expect: sound:1 unproven:220
	.text
	exported first
first:	ret
	.macro	continuation
1:	sub	$8, %rsp
	mov	(%rdi), %rax
	call	*8(%rax)
	.pushsection .data.rel.ro, "aw"
	.quad	1b
	.popsection
	.endm
	.rept	220
	continuation
	.endr
1:	jmp	1b
