# A function that does not have its caller's register when it leaves fails: also
# one that uses a register before it has a value (f), and one that jumps by an
# array, for which there is no table (g), or to
# another function (h), though it returns rightly elsewhere.
# options: -v
# link: -shared -Wl,-Ttext=0x10000
# expect: rejected: 0x10000 return at 0x10009
# expect: rejected: 0x1000e tail-call at 0x10014
# expect: return:1 tail-call:1 unresolved-jump:1
	.text
f:	.cfi_startproc
	pushed	%rbx, 16
	mov	%ebx, %eax
	mov	%edi, %ebx
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbx, 16
	jmp	*(%rdi,%rax,8)
	.cfi_endproc
h:	.cfi_startproc
	test	%edi, %edi
	je	1f
	ret
1:	pushed	%rbx, 16
	jmp	f
	.cfi_endproc
