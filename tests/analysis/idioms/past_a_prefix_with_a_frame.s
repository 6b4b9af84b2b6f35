# Two instructions that share their end, entered with different frames: what
# follows both is a place where paths meet, and here they do not agree.
# expect: return:1
f:	.cfi_startproc
	pushed	%rax, 16
	test	%edi, %edi
	je	1f
	popped	%rcx, 8
	.byte	0xf0
1:	cmpxchg	%esi, (%rdx)
	nop
	ret
	.cfi_endproc
