# -fstack-clash-protection goes down in a loop; the comparison that ends it
# tells where the stack pointer is.
# expect: silent 0
# expect: sound:1
f:	.cfi_startproc
	lea	-0x8000(%rsp), %r11
	.cfi_def_cfa 11, 0x8008
1:	sub	$0x1000, %rsp
	orq	$0, (%rsp)
	cmp	%r11, %rsp
	jne	1b
	.cfi_def_cfa_register 7
	mov	%rdi, (%rsp)
	add	$0x8000, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
