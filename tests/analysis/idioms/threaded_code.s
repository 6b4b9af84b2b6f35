# Rule: code that leaves where memory says may be a handler of threaded code, and
# have the interpreter's frame.  Neither its symbol nor a jump to another such
# handler shows that it is a function.
# options: -g
# expect: unproven:3
# expect: rows for 0.00%
	exported	increment, twice, next
increment:
	inc	%rdx
	add	$8, %rsi
	jmp	*(%rsi)
twice:
	add	%rdx, %rdx
	jmp	next
next:
	mov	(%rsi), %rax
	add	$8, %rsi
	jmp	*%rax
