# Rule: a call does not return if nothing behind it returns, or goes on with what
# the function has put into registers: behind it is another function (an_a and so
# on).  That one may save registers by pushing (a) or moving them (b, c), use what it
# has put into them itself (d), begin with a call (e); or it is the path around the
# call (f).  That a path through a call returns (g) does not show that the call does,
# nor does a stub that leads to the callee.  Behind padding, a pointer leads to what
# follows the call of a pointer (i); what does not use registers may be long (j).  A
# jump to the end (k) may be one for several paths.
# options: -e
# expect: equal 63.396%
	exported	a, b, c, d, e, f, g, h, i, j, k, l
a:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	mov	%rdi, %rbx
	call	import_a@PLT
	.cfi_endproc
an_a:	.cfi_startproc
	pushed	%rbx, 16
	sub	$16, %rsp
	.cfi_def_cfa_offset 32
1:	jmp	1b
	.cfi_endproc
b:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rax, 16
	call	import_b@PLT
	.cfi_endproc
an_b:	.cfi_startproc
	mov	%rbx, %r11
	pushed	%rax, 16
1:	jmp	1b
	.cfi_endproc
c:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	mov	%rdi, %rbx
	call	import_c@PLT
	.cfi_endproc
an_c:	.cfi_startproc
	pushed	%r12, 16
	mov	%rbx, %r12
1:	jmp	1b
	.cfi_endproc
d:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	mov	%rdi, %rbx
	call	import_d@PLT
	.cfi_endproc
an_d:	.cfi_startproc
	pushed	%rbx, 16
	mov	%rdi, %rbx
	testb	$1, 4(%rbx)
1:	jmp	1b
	.cfi_endproc
e:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	mov	%rdi, %rbx
	call	import_e@PLT
	.cfi_endproc
an_e:	.cfi_startproc
	pushed	%rax, 16
	call	import_n@PLT
	testb	$1, 4(%rbx)
1:	jmp	1b
	.cfi_endproc
f:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	mov	%rdi, %rbx
	test	%edi, %edi
	jne	1f
	sub	$16, %rsp
	.cfi_def_cfa_offset 32
	call	import_f@PLT
	.cfi_def_cfa_offset 16
1:	testb	$1, 4(%rbx)
2:	jmp	2b
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rax, 16
	test	%edi, %edi
	jne	1f
	call	import_g@PLT
1:	popped	%rax, 8
	ret
	.cfi_endproc
h:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rax, 16
	call	import_g@PLT
	.cfi_endproc
an_h:	.cfi_startproc
	pushed	%rax, 16
1:	jmp	1b
	.cfi_endproc
i:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rax, 16
	call	*%rdi
	nop
	.cfi_endproc
an_i:	.cfi_startproc
	pushed	%rax, 16
1:	jmp	1b
	.cfi_endproc
j:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rax, 16
	call	import_j@PLT
	.cfi_endproc
an_j:	.cfi_startproc
	pushed	%rax, 16
	mov	%rsp, %r11
	.rept	20
	inc	%eax
	.endr
1:	jmp	1b
	.cfi_endproc
k:	.cfi_startproc
	pushed	%rax, 16
	test	%edi, %edi
	jne	2f
	call	import_k@PLT
	jmp	2f
1:	jmp	1b
2:	test	%esi, %esi
	jne	1b
	popped	%rax, 8
	ret
	.cfi_endproc
l:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rax, 16
	call	import_k@PLT
	.cfi_endproc
an_l:	.cfi_startproc
	pushed	%rax, 16
1:	jmp	1b
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.quad	an_i
