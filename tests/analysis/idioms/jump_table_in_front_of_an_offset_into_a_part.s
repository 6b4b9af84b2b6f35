# Rule: words behind a jump table without a bound that lead into another function's
# part, which has CFI of its own, are not entries.
# expect: 43 equal 100.000%
	.text
f:	.cfi_startproc
	pushed	%rbx, 16, 3
	lea	table(%rip), %rdx
	and	$7, %edi
	movslq	(%rdx,%rdi,4), %rax
	add	%rdx, %rax
	jmp	*%rax
1:	nop
4:	popped	%rbx, 8, 3
	ret
	.cfi_endproc
g:	.cfi_startproc
	sub $24,%rsp
	.cfi_def_cfa_offset 32
	test %rdi,%rdi
	je k.cold
5:	add $24,%rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
k.cold:	.cfi_startproc
	.cfi_def_cfa_offset 32
	mov %rsi,%rdi
	nop
	jmp 5b
	.cfi_endproc
	.section .rodata
	.align	4
table:	.long	1b-table, 4b-table, k.cold-table, 0x6fffffff, 0,0
