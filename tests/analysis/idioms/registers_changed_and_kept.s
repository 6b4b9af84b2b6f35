# Rule: a caller loses all registers that a function changes (two: rbx and rbp), and
# those alone: what a pointer leads to (by_pointer) keeps to the ABI.
# options: -g
# expect: sound:1 return:3
	.globl	caller, clobber, by_pointer
	.hidden	clobber
	functions	clobber_r12, caller, clobber, by_pointer
clobber: mov	$1, %ebx
	mov	$1, %ebp
	ret
caller: push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	call	clobber
	mov	-8(%rbp), %rbx
	leave
	ret
clobber_r12: mov $1, %r12d
	ret
by_pointer: push %rbp
	mov	%rsp, %rbp
	push	%r12
	and	$-32, %rsp
	call	clobber_r12
	call	*%rdi
	lea	-8(%rbp), %rsp
	pop	%r12
	leave
	ret
