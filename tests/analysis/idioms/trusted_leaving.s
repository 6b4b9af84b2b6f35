# Rows of a function that jumps where memory says are set against its CFI (a, b,
# c, d, e, f), but not if the jump goes by an array of addresses: such code may
# be the handler of an interpreter (p, q).  Neither do jumps inside of a function
# show anything (s).
# expect: sound:9 trusted:6
	.text
a:	.cfi_startproc
	jmp	*8(%rdi)
	.cfi_endproc
b:	.cfi_startproc
	mov	8(%rdi), %rax
	jmp	*%rax
	.cfi_endproc
c:	.cfi_startproc
	lea	(%r11,%rax,8), %rdx
	jmp	*%rdx
	.cfi_endproc
d:	.cfi_startproc
	jmp	*%rdi
	.cfi_endproc
e:	.cfi_startproc
	call	*%rdi
	jmp	*%rax
	.cfi_endproc
f:	.cfi_startproc
	lea	8(%rsp), %rax
	jmp	*%rax
	.cfi_endproc
p:	.cfi_startproc
	jmp	*(%r11,%rax,8)
	.cfi_endproc
q:	.cfi_startproc
	mov	(%r11,%rax,8), %rax
	jmp	*%rax
	.cfi_endproc
s:	.cfi_startproc
	cmp	$1, %edi
	ja	1f
	lea	table(%rip), %rdx
	mov	%edi, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	jmp	1b
2:	jmp	2b
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b - table, 2b - table
