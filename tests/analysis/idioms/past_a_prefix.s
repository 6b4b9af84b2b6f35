# libc jumps over a lock prefix: two instructions that share bytes.
# expect: cfa-differs 0 ra-differs 0 fp-differs 0 unknown 0
# expect: sound:1
f:	.cfi_startproc
	pushed	%rax, 16
	test	%edi, %edi
	je	1f
	.byte	0xf0
1:	cmpxchg	%esi, (%rdx)
	popped	%rdx, 8
	ret
	.cfi_endproc
