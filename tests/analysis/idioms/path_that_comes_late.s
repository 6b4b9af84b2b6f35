# Rule: what a path that comes late brings to a loop is known in the loop behind that
# one, too: the frame pointer has another value there, and f returns to no place that
# is known.
# expect: return:1
f:	.cfi_startproc
	pushed	%rbp, 16, 6
	mov	%rsp, %rbp
	test	%edx, %edx
	jne	3f
1:	dec	%edi
	jne	1b
2:	dec	%esi
	jne	2b
	mov	%rbp, %rsp
	pop	%rbp
	ret
3:	mov	%rcx, %rbp
	jmp	1b
	.cfi_endproc
