# A store of nothing to the return address: "lock orl $0, (%rsp)" is a barrier.
# expect: equal 100.000%
f:	.cfi_startproc
	lock orl $0, (%rsp)
	ret
	.cfi_endproc
