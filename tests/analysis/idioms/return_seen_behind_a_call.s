# Rule: a call returns if the path behind it does: at once (a), by a jump (b) or a
# branch (c) to the end.  Then other calls of the same function do, too (d).  Also
# behind calls of pointers, where a pointer leads to what is behind the call, by a
# return (e), by a register that was put there (f; g by cpuid).  No pointer leads
# behind those of h and i, but to what follows; both are in loops.  d, h and i have another call, too,
# for which they are followed again.
# options: -e
# expect: equal 100.000%
	exported	a, b, c, d, e, f, g, h, i
d:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	pushed	%rax, 16
	call	import_d@PLT
	popped	%rax, 8
	ret
3:	pushed	%rax, 16
	call	import_a@PLT
1:	jmp	1b
	.cfi_endproc
a:	.cfi_startproc
	pushed	%rax, 16
	call	import_a@PLT
	popped	%rax, 8
	ret
	.cfi_endproc
b:	.cfi_startproc
	pushed	%rax, 16
	test	%edx, %edx
	jne	3f
	call	import_b@PLT
	jmp	2f
1:	jmp	1b
3:	test	%esi, %esi
	jne	1b
2:	popped	%rax, 8
	ret
	.cfi_endproc
c:	.cfi_startproc
	pushed	%rax, 16
	test	%edx, %edx
	jne	2f
	call	import_c@PLT
	test	%eax, %eax
	jne	2f
1:	jmp	1b
2:	popped	%rax, 8
	ret
	.cfi_endproc
e:	.cfi_startproc
	pushed	%rax, 16
	call	*%rdi
behind_e:
	popped	%rax, 8
	ret
	.cfi_endproc
f:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	mov	%rdi, %rbx
	call	*%rdi
behind_f:
	testb	$1, 4(%rbx)
1:	jmp	1b
	.cfi_endproc
g:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	ret
3:	pushed	%rbx, 16
	cpuid
	call	*%rdi
behind_g:
	mov	%rbx, %rdi
1:	jmp	1b
	.cfi_endproc
h:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	pushed	%rax, 16
	call	import_h@PLT
	popped	%rax, 8
	ret
3:	pushed	%rax, 16
1:	call	*%rdi
	jmp	1b
	.cfi_endproc
i:	.cfi_startproc
	test	%edx, %edx
	jne	3f
	pushed	%rax, 16
	call	import_i@PLT
	popped	%rax, 8
	ret
3:	pushed	%rax, 16
1:	call	*%rdi
	xor	%eax, %eax
behind_i:
	jmp	1b
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.quad	behind_e, behind_f, behind_g, behind_i
