# Rule: a function goes back by the register that the call left its address in,
# signed or not.
# expect: equal 62.500%
# expect: sound:2 return:2
f:	.cfi_startproc
	ret	x9
	.cfi_endproc
g:	.cfi_startproc
	hint	#25		/* paciasp */
	.cfi_negate_ra_state
	hint	#29		/* autiasp */
	.cfi_negate_ra_state
	ret
	.cfi_endproc
h:	.cfi_startproc
	hint	#25
	.cfi_negate_ra_state
	.inst	0xd65f0bff	/* retaa */
	.cfi_endproc
i:	.cfi_startproc
	hint	#25
	.cfi_negate_ra_state
	.inst	0xd65f0fff	/* retab: the other key */
	.cfi_endproc
