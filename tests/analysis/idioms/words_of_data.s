# In a program that is not relocated, functions are found by words of data and
# by constants in the code (g and h), if they return: then the return address
# was where it should be.  l, in the middle of i, does not.
# link: -static -no-pie
# options: -e
# expect: sound:3 unproven:2
	.text
	.globl	_start
_start:	.cfi_startproc
	call	f
	hlt
	.cfi_endproc
f:	.cfi_startproc
	mov	$h, %esi
	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbx, 16
	mov	%rdi, %rbx
	popped	%rbx, 8
	ret
	.cfi_endproc
h:	.cfi_startproc
	mov	%rdi, %rax
	ret
	.cfi_endproc
i:	.cfi_startproc
	pushed	%rbx, 16
	xor	%ebx, %ebx
l:	mov	%rdi, %rax
	ud2
	.cfi_endproc
	.data
	.quad	g, l
