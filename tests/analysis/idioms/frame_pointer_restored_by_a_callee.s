# Rule: a subroutine that gives its caller back the FP that the caller has saved
# changes FP.  The row by FP behind the call, from before that was known, is
# disputed, which leaves 2 of 12 bytes without a row.
# options: -a
# expect: equal 83.333% cfa-differs 0 ra-differs 0 fp-differs 0
	.globl	frame, restore
	.hidden	restore
	.type	frame, @function
	.type	restore, @function
frame:	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register 6
	call	restore
	.cfi_def_cfa 7, 16
	nop
	pop	%rbp
	.cfi_restore 6
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
restore: mov	8(%rsp), %rbp
	ret
