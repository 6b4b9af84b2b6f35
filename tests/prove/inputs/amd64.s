# A little of everything that CFI says on x86-64, as input of the fault test.
# SPDX-License-Identifier: LGPL-2.1-or-later
	.text
	.globl	plain
	.type	plain, @function
plain:					# a frame pointer, and back
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	call	puts@plt
	call	getpid@plt
	call	getppid@plt
	call	getuid@plt
	call	geteuid@plt
	call	getgid@plt
	call	getegid@plt
	call	abort@plt
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size	plain, . - plain

	.globl	large
	.type	large, @function
large:					# offsets of two and four bytes
	.cfi_startproc
	sub	$0x1000, %rsp
	.cfi_def_cfa_offset 0x1008
	call	plain
	sub	$0x100000, %rsp
	.cfi_def_cfa_offset 0x101008
	call	plain
	add	$0x101000, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	large, . - large

	.globl	realigned
	.type	realigned, @function
realigned:				# as GCC realigns a stack
	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	and	$-32, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10, 6, 2, 0x76, 0		# rbp at *(rbp)
	push	%r10
	.cfi_escape 0x0f, 3, 0x76, 0x78, 6	# CFA = *(rbp - 8)
	call	plain
	pop	%r10
	.cfi_def_cfa %r10, 0
	pop	%rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size	realigned, . - realigned

	.globl	in_registers
	.type	in_registers, @function
in_registers:				# RA and FP kept in registers
	.cfi_startproc
	pop	%r12
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %r12
	mov	%rbp, %r13
	.cfi_register %rbp, %r13
	nop
	jmp	*%r12
	.cfi_endproc
	.size	in_registers, . - in_registers

	.globl	outermost
	.type	outermost, @function
outermost:				# where stacks end
	.cfi_startproc
	.cfi_undefined %rip
	xor	%ebp, %ebp
	call	plain
	hlt
	.cfi_endproc
	.size	outermost, . - outermost

	.globl	trampoline
	.type	trampoline, @function
	nop
trampoline:				# what a signal handler returns to
	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6	# CFA = *(rsp + 160)
	.cfi_escape 0x10, 7, 3, 0x77, 0xa0, 1
	.cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0	# rbp at *(rsp + 120)
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 1	# rip at *(rsp + 168)
	mov	$15, %eax
	syscall
	.cfi_endproc
	.size	trampoline, . - trampoline
	.section .note.GNU-stack, "", @progbits
