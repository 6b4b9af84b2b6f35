# Where the handler of a signal returns to is not a function, though C libraries
# give it the symbol of one.
# options: -a
# expect: signal:1
	exported	restore, f
restore: mov	$15, %rax
	syscall
f:	.cfi_startproc
	mov	%rdi, %rax
	ret
	.cfi_endproc
