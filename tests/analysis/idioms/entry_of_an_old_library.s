# Linkers of old give a library the beginning of its code as its entry: there is a
# function like others.
# link: -shared -Wl,-e,f
# options: -g
# expect: rows for 100.00%
	.text
	exported	f
f:	push	%rbx
	mov	%rdi, %rbx
	call	*(%rbx)
	pop	%rbx
	ret
