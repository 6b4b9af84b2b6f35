# Rule: a call returns if what is behind it goes on with what the function has put
# into registers that belong to its caller, although no path from there returns:
# by reading (a), by moving (b) behind other instructions (c).  So does a call of
# what leaves (d), and of what another one jumps to at its end (e).
# options: -e
# expect: equal 100.000%
	exported	a, b, c, d, e, leaves, jumps
a:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	mov	%rdi, %rbx
	call	import_a@PLT
	testb	$1, 4(%rbx)
1:	jmp	1b
	.cfi_endproc
b:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	mov	%rdi, %rbx
	call	import_b@PLT
	mov	%rbx, %rdi
1:	jmp	1b
	.cfi_endproc
c:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	mov	%rdi, %rbx
	call	import_c@PLT
	mov	$1, %edi
	mov	$2, %esi
	mov	$3, %edx
	mov	$4, %ecx
	mov	$5, %r8d
	mov	$6, %r9d
	lea	-64(%rsp), %r11
	mov	%edi, (%r11)
	mov	%esi, 4(%r11)
	mov	%edx, 8(%r11)
	mov	%ecx, 12(%r11)
	mov	%r8d, 16(%r11)
	test	%rbx, %rbx
1:	jmp	1b
	.cfi_endproc
leaves:	.cfi_startproc
	xor	%eax, %eax
	jmp	*import_l@GOTPCREL(%rip)
	.cfi_endproc
d:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	leaves@PLT
1:	jmp	1b
	.cfi_endproc
jumps:	.cfi_startproc
	jmp	import_e@PLT
	.cfi_endproc
e:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	import_e@PLT
1:	jmp	1b
	.cfi_endproc
