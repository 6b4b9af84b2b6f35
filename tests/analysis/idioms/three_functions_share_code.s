# Rule: what two functions say differently of one piece of code is said of none of it,
# also where a third one disputes a shorter part of it later.  Here only the first has a
# frame pointer.
# options: -g
# expect: 63 executable, rows for 74.60%
	.globl	first, second, third, calls
	.hidden	first, second, third
	functions	first, second, third, calls
first:	push	%rbp
	mov	%rsp, %rbp
	test	%edi, %edi
1:	je	3f
2:	nop
	jmp	4f
3:	mov	$1, %eax
	mov	$2, %ecx
4:	pop	%rbp
	ret
	.p2align 4
second:	push	%rbp
	mov	$1, %ebp
	jmp	1b
	.p2align 4
third:	push	%rbp
	mov	$2, %ebp
	jmp	2b
	.p2align 4
calls:	sub	$8, %rsp
	call	first
	call	second
	call	third
	add	$8, %rsp
	ret
