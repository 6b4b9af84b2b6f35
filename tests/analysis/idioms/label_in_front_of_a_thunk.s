# Rule: a jump to a function proves the frame of a call only if that function was
# seen to return by it.  GCC's computed goto is a jump to a thunk with
# -mindirect-branch=thunk, and so is a call by a pointer: "retpoline".
# options: -e
# expect: unproven:2
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	lea	table(%rip), %rcx
	xor	%ebx, %ebx
	mov	(%rcx, %rdi, 8), %rax
	jmp	thunk
l1:	add	%rdi, %rdi
	mov	(%rcx, %rdi, 8), %rax
	jmp	thunk
l2:	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.globl	h
	.type	h, @function
h:	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
	mov	%rdi, %rax
	call	thunk
	pop	%rdx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
thunk:	.cfi_startproc
	call	2f
1:	pause
	lfence
	jmp	1b
2:	.cfi_def_cfa_offset 16
	mov	%rax, (%rsp)
	ret
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.align	8
table:	.quad	l1, l2
