# Rule: what imported functions are known to do is known of stubs that begin with
# endbr64, as Ubuntu and Fedora link, too.
# link: -shared -z ibtplt
# expect: silent 1  functions 2
# expect: sound:2
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	test	%edi, %edi
	je	1f
	popped	%rbx, 8, 3
	ret
1:	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	$1, %edi
	call	error@PLT
	.byte	0x06
	.cfi_endproc
