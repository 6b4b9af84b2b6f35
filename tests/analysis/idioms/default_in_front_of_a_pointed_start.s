# Rule: `ja' is taken although nothing but padding is between its target and the
# next start, if only a pointer says that one is there: that is a label (f).  It is
# not taken if code that a pointer led to (m) calls what starts there, too (g).
# options: -g
# expect: rows for 100.00%
# expect: sound:5 return:1
	exported	h
f:	push	%rbx
	mov	%rdi, %rbx
	cmp	$2, %edi
	ja	1f
	pop	%rbx
	ret
1:	.byte	0x90, 0x90, 0x90, 0x90, 0x90, 0x90
label:	mov	%rbx, %rax
	pop	%rbx
	ret
m:	push	%rax
	call	i
	call	g
	pop	%rax
	ret
g:	push	%rbx
	mov	%rdi, %rbx
	cmp	$2, %edi
	ja	2f
	pop	%rbx
	ret
2:	.byte	0x90, 0x90, 0x90, 0x90, 0x90, 0x90
i:	push	%rbx
	xor	%eax, %eax
	pop	%rbx
	ret
h:	ret
	.section .data.rel.ro, "aw"
	.quad	f, m, label, i
