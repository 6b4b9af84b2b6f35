# Rule: no path runs on behind the system calls that end a thread or a process:
# another function may follow.
# options: -e
# expect: silent 24 
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	cbz	x0, 1f
	mov	x8, #94              // exit_group
	svc	#0
	.cfi_endproc
g:	.cfi_startproc
	sub	sp, sp, #32
	.cfi_def_cfa_offset 32
2:	yield
	b	2b
	.cfi_endproc
1:	.cfi_startproc
	.cfi_def_cfa_offset 16
	cbz	x1, 1f
	mov	x8, #93              // exit
	svc	#0
	.cfi_endproc
k:	.cfi_startproc
	sub	sp, sp, #32
	.cfi_def_cfa_offset 32
2:	yield
	b	2b
	.cfi_endproc
1:	.cfi_startproc
	.cfi_def_cfa_offset 16
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
