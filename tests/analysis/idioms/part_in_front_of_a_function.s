# Rule: a part that has no jump at its end runs into the function behind it.  Only
# in front of another part it counts as ended by GCC (part_that_ends_open).
# expect: sound:1 runs-into:1
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	test	%rbx, %rbx
	je	f.cold
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.section .text.unlikely, "ax"
f.cold:	.cfi_startproc
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	%rbx, 56(%rdi)
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
