# Rule: no row where the offset of the CFA has more than 32 bits.  What is left of
# it says something else.
# options: -g
# expect: 31 executable, rows for 45.16%
	exported	f
f:	movabs	$0x100000058, %rax
	sub	%rax, %rsp
	movb	$0, (%rsp)
	movabs	$0x100000058, %rax
	add	%rax, %rsp
	ret
