# Code of GHC goes from function to function by jumps, and what is on top of the
# stack meanwhile is StgRun's, no return address: leaving for a function of
# Haskell or of its runtime, which their names tell, does not show a frame.
# options: -g
# expect: unproven:3 trusted:0
	exported	f, g, h
f:	lea	closure(%rip), %rsi
	jmp	*base_GHCziBase_id_info@GOTPCREL(%rip)
g:	jmp	*stg_newMVarzh@GOTPCREL(%rip)
h:	jmp	base_GHCziBase_id_info@PLT
	.data
closure:
	.quad	0
