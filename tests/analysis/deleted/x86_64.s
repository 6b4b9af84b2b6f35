	.file	"functions.c"
	.text
	.p2align 4
	.globl	sum
	.type	sum, @function
sum:
.LFB0:
	.cfi_startproc
	pushq	%r14
	.cfi_def_cfa_offset 16
	.cfi_offset 14, -16
	pushq	%r13
	.cfi_def_cfa_offset 24
	.cfi_offset 13, -24
	pushq	%r12
	.cfi_def_cfa_offset 32
	.cfi_offset 12, -32
	pushq	%rbp
	.cfi_def_cfa_offset 40
	.cfi_offset 6, -40
	pushq	%rbx
	.cfi_def_cfa_offset 48
	.cfi_offset 3, -48
	testq	%rsi, %rsi
	jle	.L4
	movq	%rdi, %r13
	movq	%rsi, %r12
	movq	%rdx, %r14
	xorl	%ebx, %ebx
	xorl	%ebp, %ebp
	.p2align 4,,10
	.p2align 3
.L3:
	movq	%rbx, %rsi
	movq	%r13, %rdi
	addq	$1, %rbx
	call	next@PLT
	imulq	%r14, %rax
	addq	%rax, %rbp
	cmpq	%rbx, %r12
	jne	.L3
	popq	%rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 40
	movq	%rbp, %rax
	popq	%rbp
	.cfi_def_cfa_offset 32
	popq	%r12
	.cfi_def_cfa_offset 24
	popq	%r13
	.cfi_def_cfa_offset 16
	popq	%r14
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L4:
	.cfi_restore_state
	xorl	%ebp, %ebp
	popq	%rbx
	.cfi_def_cfa_offset 40
	movq	%rbp, %rax
	popq	%rbp
	.cfi_def_cfa_offset 32
	popq	%r12
	.cfi_def_cfa_offset 24
	popq	%r13
	.cfi_def_cfa_offset 16
	popq	%r14
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE0:
	.size	sum, .-sum
	.p2align 4
	.globl	early
	.type	early, @function
early:
.LFB1:
	.cfi_startproc
	testq	%rdi, %rdi
	je	.L10
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	movq	%rsi, %rbp
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -32
	movq	%rdi, %rbx
	call	next@PLT
	movq	%rbx, %rdi
	movq	%rax, %rsi
	movq	%rax, %r12
	call	next@PLT
	addq	%r12, %rax
	addq	%rbp, %rax
	addq	(%rbx), %rax
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%r12
	.cfi_def_cfa_offset 8
	ret
.L10:
	.cfi_restore 3
	.cfi_restore 6
	.cfi_restore 12
	movq	$-1, %rax
	ret
	.cfi_endproc
.LFE1:
	.size	early, .-early
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC0:
	.string	"above"
	.section	.text.unlikely,"ax",@progbits
.LCOLDB1:
	.text
.LHOTB1:
	.p2align 4
	.globl	checked
	.type	checked, @function
checked:
.LFB2:
	.cfi_startproc
	pushq	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset 12, -16
	movq	%rdi, %r12
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset 6, -24
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -32
	call	next@PLT
	movq	%r12, %rdi
	movq	%rax, %rsi
	movq	%rax, %rbx
	call	next@PLT
	cmpq	%rax, %rbx
	jg	.L18
	movq	%rax, %rbp
	je	.L19
.L17:
	movq	%rbx, %rsi
	movq	%r12, %rdi
	subq	%rbp, %rsi
	call	next@PLT
	addq	%rbx, %rax
	popq	%rbx
	.cfi_def_cfa_offset 24
	addq	%rbp, %rax
	popq	%rbp
	.cfi_def_cfa_offset 16
	popq	%r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.section	.text.unlikely
	.cfi_startproc
	.type	checked.cold, @function
checked.cold:
.LFSB2:
.L18:
	.cfi_def_cfa_offset 32
	.cfi_offset 3, -32
	.cfi_offset 6, -24
	.cfi_offset 12, -16
	leaq	.LC0(%rip), %rsi
	movq	%rbx, %rdi
	call	refuse@PLT
.L19:
	movq	%rbx, %rdi
	call	warn@PLT
	jmp	.L17
	.cfi_endproc
.LFE2:
	.text
	.size	checked, .-checked
	.section	.text.unlikely
	.size	checked.cold, .-checked.cold
.LCOLDE1:
	.text
.LHOTE1:
	.p2align 4
	.globl	variable
	.type	variable, @function
variable:
.LFB3:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	leaq	15(%rdi), %rax
	movq	%rdi, %rsi
	andq	$-16, %rax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	movq	%rdi, %rbx
	subq	$8, %rsp
	subq	%rax, %rsp
	movq	%rsp, %rdi
	call	use@PLT
	leaq	1(%rbx), %rsi
	movq	%rsp, %rdi
	call	use@PLT
	movq	-8(%rbp), %rbx
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE3:
	.size	variable, .-variable
	.ident	"GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
	.section	.note.GNU-stack,"",@progbits
