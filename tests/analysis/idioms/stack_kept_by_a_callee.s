# Rule: what the stack pointer was may be in a register that calls change, but not the
# subroutine that is called, though it is entered in the middle of a loop (f).  The
# other subroutine changes the register in front of where it is entered (g).
# options: -e
# expect: equal 64.045%
# expect: sound:3 return:1
	.macro	caller name callee
	.globl	\name
	.type	\name, @function
\name:	.cfi_startproc
	lea	(%rsp), %r11
	.cfi_def_cfa_register 11
	push	%rbp
	.cfi_offset 6, -16
	sub	$32, %rsp
	and	$-16, %rsp
	mov	%rdi, %rbp
	call	\callee
	mov	%rbp, %rax
	mov	-8(%r11), %rbp
	.cfi_restore 6
	lea	(%r11), %rsp
	.cfi_def_cfa_register 7
	ret
	.cfi_endproc
	.endm
	.text
	caller	f, leaves
	caller	g, writes
	.cfi_startproc
1:	lea	8(%rsi), %rsi
leaves:	mov	(%rsi), %eax
	test	%eax, %eax
	jne	1b
	ret
	.cfi_endproc
	.cfi_startproc
1:	lea	8(%rsi), %r11
	mov	%r11, %rsi
writes:	mov	(%rsi), %eax
	test	%eax, %eax
	jne	1b
	ret
	.cfi_endproc
