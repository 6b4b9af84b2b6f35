# Rule: the address of a jump table may be in a register that calls change, but not
# the function that is called: it is looked at where the jump leads nowhere
# otherwise.  The callees of g and h change the register.
# expect: equal 43.103%
# expect: sound:4 unresolved-jump:2
	.macro	caller name callee
	.globl	\name
	.type	\name, @function
\name:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	lea	table_\name(%rip), %r10
1:	movzbl	(%rbx), %eax
	inc	%rbx
	cmp	$1, %eax
	ja	4f
	movslq	(%r10,%rax,4), %rax
	add	%r10, %rax
	jmp	*%rax
2:	mov	%rbx, %rdi
	call	\callee
	jmp	1b
3:	inc	%rbx
	jmp	1b
4:	popped	%rbx, 8
	ret
	.cfi_endproc
	.section .rodata
	.balign	4
table_\name:
	.long	2b - table_\name, 3b - table_\name
	.text
	.endm
	.text
	caller	f, leaves
	caller	g, writes
	caller	h, writes_in_between
leaves:	.cfi_startproc
	test	%edi, %edi
	js	3f
	jmp	2f
1:	shr	%edi
	jne	2f
	ret
2:	sub	$4, %edi
	jns	1b
3:	ret
	.cfi_endproc
writes:	.cfi_startproc
	xor	%r10d, %r10d
	ret
	.cfi_endproc
# The jump leads to the middle of what follows it: to pop %r10.
writes_in_between:
	.cfi_startproc
	pushed	%rdi, 16
	jmp	1f + 1
1:	.byte	0xb8, 0x41, 0x5a
	.cfi_def_cfa_offset 8
	.byte	0xc3, 0x90
	ret
	.cfi_endproc
