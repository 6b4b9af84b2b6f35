# Rule: a subroutine that gives its caller back the FP that the caller has saved
# changes FP.  The row by FP behind the call, from before that was known, is
# disputed, which leaves 2 of 12 bytes without a row.
# options: -a
# expect: equal 83.333%
	.globl	frame, restore
	.hidden	restore
	functions	frame, restore
frame:	.cfi_startproc
	pushed	%rbp, 16, 6
	mov	%rsp, %rbp
	.cfi_def_cfa_register 6
	call	restore
	.cfi_def_cfa 7, 16
	nop
	popped	%rbp, 8, 6
	ret
	.cfi_endproc
restore: mov	8(%rsp), %rbp
	ret
