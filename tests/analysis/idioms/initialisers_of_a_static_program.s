# A static program has no dynamic section; its initialisers are in sections of
# a type.  f does not return, so that nothing else would show that it begins
# with a call.
# link: -static -no-pie
# options: -e
# expect: sound:1 unproven:1
	.globl	_start
_start:	.cfi_startproc
	hlt
	.cfi_endproc
f:	.cfi_startproc
	pushed	%rbx, 16
	mov	$60, %eax
	syscall
	hlt
	.cfi_endproc
	.section .init_array, "aw"
	.quad	f
