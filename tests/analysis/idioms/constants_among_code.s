# Constants in an executable segment are not code, whatever points to them.
# link: -shared -Wl,-z,noseparate-code
# options: -e
# expect: equal 100.000%
# expect: functions 1 
	exported	f
f:	.cfi_startproc
	lea	text(%rip), %rax
	ret
	.cfi_endproc
	.section .rodata
text:	.byte	0xc3
