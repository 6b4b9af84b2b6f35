# Rule: no path runs on behind the system calls that end a thread or a process:
# another function may follow.
# options: -e
# expect: silent 10 
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	test	%edi, %edi
	je	1f
	mov	$231, %eax           # exit_group
	syscall
	.cfi_endproc
g:	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
2:	pause
	jmp	2b
	.cfi_endproc
1:	.cfi_startproc
	.cfi_def_cfa_offset 32
	test	%esi, %esi
	je	1f
	push	$60                  # exit
	.cfi_def_cfa_offset 40
	pop	%rax
	.cfi_def_cfa_offset 32
	syscall
	.cfi_endproc
k:	.cfi_startproc
	push	%rax
	.cfi_def_cfa_offset 16
2:	pause
	jmp	2b
	.cfi_endproc
1:	.cfi_startproc
	.cfi_def_cfa_offset 32
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
