# Rule: a jump table may have addresses, which the jump itself reads (f) or a load in
# front of it (g).  Where one of two tables has offsets (h: the second, i: the first)
# or is not in the file (j: the first, k: the second), the jump is not resolved.  Nor
# is a jump to a constant in another function (m), as opposed to the same (l).  A table
# without a bound may have addresses of other parts (p), and ends where something is
# named (q).
# expect: silent 198 
# expect: sound:7 unresolved-jump:5
	.macro	begin name
	.text
\name:	.cfi_startproc
	pushed	%rbx, 16, 3
	.endm
	.macro	end
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.endm
	# Either of two tables, whose entries have 8 bytes or 4.
	.macro	two first, second
	mov	%edi, %edi
	test	%esi, %esi
	je	7f
	cmp	$1, %edi
	ja	2f
	lea	\first(%rip), %rdx
	.ifc	\first, offsets
	movslq	(%rdx,%rdi,4), %rax
	.else
	mov	(%rdx,%rdi,8), %rax
	.endif
	jmp	8f
7:	cmp	$1, %edi
	ja	2f
	lea	\second(%rip), %rdx
	.ifc	\second, offsets
	movslq	(%rdx,%rdi,4), %rax
	.else
	mov	(%rdx,%rdi,8), %rax
	.endif
8:	jmp	*%rax
	.endm
	begin	f
	cmp	$1, %edi
	ja	2f
	lea	table_f(%rip), %rdx
	mov	%edi, %edi
	jmp	*(%rdx,%rdi,8)
1:	inc	%eax
2:	end
	.section .data.rel.ro, "aw"
table_f: .quad	1b, 2b
	begin	g
	cmp	$1, %edi
	ja	2f
	lea	table_g(%rip), %rdx
	mov	%edi, %edi
	mov	(%rdx,%rdi,8), %rax
	jmp	*%rax
1:	inc	%eax
2:	end
	.section .data.rel.ro, "aw"
table_g: .quad	1b, 2b
	begin	h
	two	table_h, offsets
1:	inc	%eax
2:	end
	.section .data.rel.ro, "aw"
table_h: .quad	1b, 2b
	begin	i
	two	offsets, table_i
1:	inc	%eax
2:	end
	.section .data.rel.ro, "aw"
table_i: .quad	1b, 2b
	begin	j
	two	nowhere, table_j
1:	inc	%eax
2:	end
	.section .data.rel.ro, "aw"
table_j: .quad	1b, 2b
	begin	k
	two	table_k, nowhere
1:	inc	%eax
2:	end
	.section .data.rel.ro, "aw"
table_k: .quad	1b, 2b
	begin	l
	lea	1f(%rip), %rax
	jmp	*%rax
	ud2
1:	end
	begin	m
	lea	o(%rip), %rax
	jmp	*%rax
	.cfi_endproc
	begin	n
o:	end
	.section .rodata
offsets: .long	1, 2
	.bss
nowhere: .skip	16
	begin	p
	lea	table_p(%rip), %rdx
	jmp	*(%rdx,%rdi,8)
1:	inc	%eax
	jmp	3f
2:	dec	%eax
3:	end
p.cold:	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	jmp	3b
	.cfi_endproc
	.section .data.rel.ro, "aw"
table_p: .quad	1b, p.cold, 2b, 0
	begin	q
	lea	table_q(%rip), %rdx
	jmp	*(%rdx,%rdi,8)
1:	movabs	$0x5b5b5b5b5b5b5b5b, %rbx
2:	end
	.section .data.rel.ro, "aw"
table_q: .quad	1b, 2b
behind_q: .quad	1b+3
	begin	r
	lea	behind_q(%rip), %rax
	end
