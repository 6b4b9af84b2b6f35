# GCC ends a part of a function without a jump where it knows that nobody gets
# to: what is behind is a part of another function.  Behind a call (k) it is the
# call that does not return.  In front of bytes that no part has (n) neither is
# an explanation.
# expect: sound:4 runs-into:1
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	f.cold
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbx, 16, 3
	sub	$16, %rsp
	.cfi_def_cfa_offset 32
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	g.cold
	add	$16, %rsp
	.cfi_def_cfa_offset 16
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
k:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	k.cold
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
m:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	m.cold
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
n:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	n.cold
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .text.unlikely, "ax"
f.cold:	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	%rbx, 56(%rdi)
	.cfi_endproc
m.cold:	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	%rdi, %rax
	mov	%rbx, 56(%rax)
	.cfi_endproc
n.cold:	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	.byte	0x48, 0x89, 0x58	/* mov %rbx, 56(%rax) */
	.cfi_endproc
	.byte	56
g.cold:	.cfi_startproc
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -16
	mov	%rbx, %rdi
	call	abort@PLT
	.cfi_endproc
k.cold:	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	%rbx, %rdi
	call	unknown@PLT
	mov	%rbx, %rdi
	mov	%rbx, 56(%rdi)
	.cfi_endproc
l.cold:	.cfi_startproc
	.cfi_def_cfa_offset 48
	call	abort@PLT
	.cfi_endproc
