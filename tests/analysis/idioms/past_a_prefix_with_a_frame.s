# Two instructions that share their end, entered with different frames: what
# follows both is a place where paths meet, and here they do not agree.
# expect: cfa-differs 0
# expect: return:1
f:	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
	test	%edi, %edi
	je	1f
	pop	%rcx
	.cfi_def_cfa_offset 8
	.byte	0xf0
1:	cmpxchg	%esi, (%rdx)
	nop
	ret
	.cfi_endproc
