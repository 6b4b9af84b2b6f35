# The end of a function with a realigned stack as GCC makes it: after pop %rbp
# the CFI still looks for the caller's rbp where rbp points.  That is an error
# of the CFI, and nothing to compare with: 5 bytes, and 3 where it is right but
# nobody can know (lint_reports.bats has --lint find them).
# expect: cfa-differs 0 ra-differs 0 fp-differs 0 unknown 0 incomparable 8
f:	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa 10, 0
	and	$-32, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00
	push	%r10
	.cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06
	sub	$24, %rsp
	mov	%rdi, (%rsp)
	add	$24, %rsp
	pop	%r10
	.cfi_def_cfa 10, 0
	pop	%rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
