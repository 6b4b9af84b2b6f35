# What is last in front of the next function goes on there: a branch (f, p), also
# one that is never taken (q), and an instruction that changes the frame, which
# is that of a call behind it (r) or was (s).  Bytes that are not instructions are
# no end (t).
# options: -v
# link: -shared -Wl,-Ttext=0x10000
# expect: rejected: 0x10000 runs-into at 0x10005
# expect: rejected: 0x1001b not-code at 0x1001d
# expect: sound:3 not-code:1 runs-into:4
	.text
	.macro	pushing name
\name:	.cfi_startproc
	pushed	%rbx, 16, 3
	.endm
	pushing	f
1:	xor	%ebx, %ebx
	dec	%edi
	jne	1b
	.cfi_endproc
	pushing	p
	dec	%edi
	jno	p
	.cfi_endproc
	pushing	q
	xor	%ebx, %ebx
	cmp	$1, %edi
	ja	r
	.cfi_endproc
	pushing	r
	xor	%ebx, %ebx
	pop	%rbx
	.cfi_endproc
s:	.cfi_startproc
	push	%rax
	.cfi_endproc
u:	.cfi_startproc
	nop
	.cfi_endproc
v:	.cfi_startproc
	ret
	.cfi_endproc
t:	.cfi_startproc
	xor	%eax, %eax
	.byte	6
	.cfi_endproc
