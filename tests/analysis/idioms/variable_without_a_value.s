# A register that was saved may be used before it has a value: that is how GCC
# compiles a variable without one (f).  Used without having been saved, it is
# what the caller handed over by rules of its own (g).
# expect: sound:1 saved-register-used:1 trusted:0
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	test	%edi, %edi
	je	1f
	mov	$7, %ebx
	jmp	2f
1:	mov	%ebx, %eax
2:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	mov	%ebx, %eax
	ret
	.cfi_endproc
