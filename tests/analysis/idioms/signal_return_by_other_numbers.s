# The number of sigreturn () is one however it comes about: pushed, calculated,
# or kept in the stack for a while.  What comes behind is another function.
# link: -static
# options: -g -a
# expect: signal:9
	.globl	_start
_start:	xor	%ebp, %ebp
	and	$-16, %rsp
	lea	pushed(%rip), %rax
	lea	added(%rip), %rax
	lea	ored(%rip), %rax
	lea	moved(%rip), %rax
	lea	shifted(%rip), %rax
	lea	spilled(%rip), %rax
	lea	half(%rip), %rax
	lea	exchanged(%rip), %rax
	lea	multiplied(%rip), %rax
	hlt
pushed:	push	$15
	pop	%rax
	syscall
	mov	%rdi, %rax
	ret
added:	xor	%eax, %eax
	add	$16, %eax
	dec	%eax
	syscall
	mov	%rdi, %rax
	ret
ored:	xor	%eax, %eax
	or	$8, %al
	mov	$7, %ecx
	or	%ecx, %eax
	syscall
	mov	%rdi, %rax
	ret
moved:	mov	$7, %ecx
	lea	8(%rcx), %eax
	syscall
	mov	%rdi, %rax
	ret
shifted: mov	$0x1e, %eax
	shr	%eax
	syscall
	mov	%rdi, %rax
	ret
spilled: sub	$24, %rsp
	movq	$15, 8(%rsp)
	xor	%eax, %eax
	mov	8(%rsp), %rax
	syscall
	add	$24, %rsp
	ret
half:	sub	$24, %rsp
	mov	$15, %ecx
	mov	%ecx, 8(%rsp)
	movl	$1, 12(%rsp)
	movl	$2, 4(%rsp)
	mov	8(%rsp), %eax
	syscall
	add	$24, %rsp
	ret
exchanged: mov	$15, %edi
	xchg	%eax, %edi
	syscall
	mov	%rdi, %rax
	ret
multiplied: mov	$5, %ecx
	imul	$3, %ecx, %eax
	syscall
	mov	%rdi, %rax
	ret
