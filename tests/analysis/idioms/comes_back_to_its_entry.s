# Rule: a function that jumps back to its entry with more on the stack does not
# return as functions do, whether to the entry itself (f) or to padding in front of
# it (g).  Nor does one end where `ja' leads to what is not code (h, i).
# expect: sound:1 not-code:2 return:2
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	test	%edi, %edi
	je	f
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
padding: nop
g:	.cfi_startproc
	pushed	%rbx, 16, 3
	cmp	$2, %edi
	ja	padding
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
h:	.cfi_startproc
	cmp	$2, %edi
	ja	1f
	ret
1:	.byte	0x06
	.cfi_endproc
i:	.cfi_startproc
	cmp	$2, %edi
	ja	no_code
	ret
	.cfi_endproc
j:	.cfi_startproc
	ret
	.cfi_endproc
	.data
no_code: .quad	0
