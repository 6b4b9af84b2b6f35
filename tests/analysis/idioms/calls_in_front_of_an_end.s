# A call returns where the function leaves behind it as functions do: for
# another one (f), where memory says (g), by an array (h), into the next (k),
# or by a case of a switch (s).
# options: -g
# expect: rows for 100.00%
	.text
	exported	f, g, h, k, s
s:	sub	$8, %rsp
	call	import_s@PLT
	add	$8, %rsp
	cmp	$1, %eax
	ja	s1
	lea	table(%rip), %rdx
	mov	%eax, %eax
	movslq	(%rdx,%rax,4), %rax
	add	%rdx, %rax
	jmp	*%rax
s1:	jmp	s1
s2:	ret
f:	sub	$8, %rsp
	call	import_f@PLT
	add	$8, %rsp
	jmp	next
g:	sub	$8, %rsp
	call	import_g@PLT
	add	$8, %rsp
	jmp	*import_j@GOTPCREL(%rip)
h:	test	%edi, %edi
	je	1f
	sub	$8, %rsp
	call	import_h@PLT
	add	$8, %rsp
	jmp	*(%r11,%rax,8)
1:	ret
k:	sub	$8, %rsp
	call	import_k@PLT
	add	$8, %rsp
next:	.cfi_startproc
	ret
	.cfi_endproc
	.section .rodata
	.balign	4
table:	.long	s1 - table, s2 - table
