# Beside subroutines that come back with another stack pointer (save), calls of
# what is not a function (f), jumps to them (g) and calls of other functions (i) say
# nothing of who does that.
# options: -a
# expect: equal 71.429%
# expect: sound:3 callee-moves-stack:1 unresolved-jump:1
	.globl	f, g, h
	functions	f, g, h, i, save
f:	.cfi_startproc
	pushed	%rax, 16
	call	*%rdi
	popped	%rdx, 8
	ret
	.cfi_endproc
g:	.cfi_startproc
	xor	%eax, %eax
	jmp	save
	.cfi_endproc
h:	.cfi_startproc
	call	save
	ret
	.cfi_endproc
i:	.cfi_startproc
	call	f
	ret
	.cfi_endproc
save:	pop	%rax
	push	%rbx
	jmp	*%rax
