# Rule: two registers with different addresses in the stack are not equal.  A
# loop that goes down the stack page by page, as -fstack-clash-protection makes
# it, is not left behind the first page, so that the code behind it has one depth.
# expect: equal 100.000%
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	-0x10000(%rsp), %r11
	.cfi_def_cfa 11, 0x10010
1:	sub	$0x1000, %rsp
	orq	$0, (%rsp)
	cmp	%r11, %rsp
	jne	1b
	.cfi_def_cfa_register 7
	sub	$0x20, %rsp
	.cfi_def_cfa_offset 0x10030
	test	%edi, %edi
	je	2f
	mov	%edi, %ebx
2:	add	$0x10020, %rsp
	.cfi_def_cfa_offset 16
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
