# What the dynamic section names to be called at the beginning and the end are
# functions, without anything else that leads there.
# link: -shared -Wl,-init=f -Wl,-fini=g
# options: -e
# expect: equal 100.000%
# expect: sound:3
	.hidden	f, g
	.globl	f, g
f:	.cfi_startproc
	pushed	%rbx, 16
	mov	%rdi, %rbx
	popped	%rbx, 8
	ret
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rbx, 16
	mov	$60, %eax
	syscall
	hlt
	.cfi_endproc
h:	.cfi_startproc
	pushed	%rbx, 16
	mov	$60, %eax
	syscall
	hlt
	.cfi_endproc
	.section .init_array, "aw"
	.quad	h
