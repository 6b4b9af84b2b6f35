# Rule: a jump through a word that the dynamic linker fills in with an imported
# function goes there with the frame of a call: what ends so is a function.
# options: -g
# expect: sound:1
# expect: rows for 100.00%
	exported	f
f:	xor	%eax, %eax
	jmp	*imported@GOTPCREL(%rip)
