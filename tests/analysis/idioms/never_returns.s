# Rule: code that neither returns nor leaves begins with the frame of a call if it
# makes all its calls with the stack pointer of the ABI, and if it has saved
# registers for a caller below its entry (f, g).  It does not if the stack pointer is
# another at a call (a, b) or at one of its calls (c); if it saves nothing (d),
# or not below its entry (e), or still has what it saved (h); or if it leaves (i, j).
# options: -g
# expect: sound:2
# expect: unproven:8
# expect: rows for 26.55%
	.macro	begin name
	.globl	\name
	.type	\name, @function
\name:
	.endm
	begin	f
	push	%rbx
	mov	%rdi, %rbx
1:	call	*(%rbx)
	jmp	1b
	begin	g
	push	%rbp
	push	%r12
	sub	$24, %rsp
	mov	%rdi, %rbp
	mov	%rdi, %r12
	call	*(%rbp)
	mov	%r12, %rdi
	call	*8(%rbp)
	ud2
	begin	a
	push	%rbx
	push	%r12
	mov	%rdi, %rbx
	call	*(%rbx)
	ud2
	begin	b
	mov	%rbx, -24(%rsp)
	sub	$32, %rsp
	mov	%rdi, %rbx
	call	*(%rbx)
	ud2
	begin	c
	push	%rbx
	mov	%rdi, %rbx
	call	*(%rbx)
	sub	$8, %rsp
	call	*(%rbx)
	ud2
	begin	d
	sub	$8, %rsp
	call	*(%rdi)
	ud2
	begin	e
	mov	%rbx, 8(%rsp)
	sub	$8, %rsp
	mov	%rdi, %rbx
	call	*(%rbx)
	ud2
	begin	h
	push	%rbx
	call	*(%rdi)
	ud2
	begin	i
	push	%rbx
	mov	%rdi, %rbx
	call	*(%rbx)
	mov	%rbx, %rdi
	pop	%rbx
	jmp	*(%rdi)
	begin	j
	push	%rbx
	mov	%rdi, %rbx
	call	*(%rbx)
	mov	%rbx, %rdi
	pop	%rbx
	jmp	*(%r11,%rax,8)
