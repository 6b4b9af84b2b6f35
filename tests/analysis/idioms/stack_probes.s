# Rule: what probes the pages of a large frame leaves the size in rax (the calls that
# are sound).  None of the others is known to: each changes rax or leads elsewhere.
# expect: sound:15 return:9
	.macro	calls name
	.globl	calls_\name
	.type	calls_\name, @function
calls_\name: .cfi_startproc
	pushed	%rbx, 16, 3
	mov	$0x1000, %eax
	call	\name
	sub	%rax, %rsp
	.cfi_adjust_cfa_offset 0x1000
	mov	%rsp, %rdi
	add	$0x1000, %rsp
	.cfi_adjust_cfa_offset -0x1000
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.endm
	.macro	begin name
	calls	\name
\name:	.cfi_startproc
	.endm
	.macro	end
	.cfi_endproc
	.endm
	# They leave rax alone.
	begin	nothing
	ret
	end
	begin	branch_to_the_return
	test	%rsp, -0x1000(%rsp)
	je	1f
	nop
1:	ret
	end
	begin	loop_from_the_start
	sub	$1, %ecx
	jne	loop_from_the_start
	ret
	end
	# They do not.
	begin	copies
	mov	%rcx, %rax
	ret
	end
	begin	exchanges
	xchg	%rcx, %rax
	ret
	end
	begin	exchanges_with
	xchg	%rax, %rcx
	ret
	end
	begin	enters_the_kernel
	syscall
	ret
	end
	begin	calls_another
	pushed	%rcx, 16
	call	copies
	popped	%rcx, 8
	ret
	end
	begin	jumps_to_another
	test	%ecx, %ecx
	jmp	copies
	end
	begin	branches_to_another
	test	%ecx, %ecx
	je	copies
	ret
	end
	begin	branches_two_ways
	test	%ecx, %ecx
	je	2f
	jns	1f
	nop
1:	ret
2:	shr	$1, %rax
	ret
	end
	begin	many_instructions
	.rept	20
	test	%rsp, -0x1000(%rsp)
	.endr
	.rept	20
	test	%rsp, -0x1000(%rsp)
	.endr
	shr	$1, %rax
	ret
	end
