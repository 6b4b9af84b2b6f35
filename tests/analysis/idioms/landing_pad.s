# Rule: an exception goes to its landing pad with the arguments on the stack
# taken off (DW_CFA_GNU_args_size).
# expect: equal 100.000%
f:	.cfi_startproc
	.cfi_personality 0x9b, personality
	.cfi_lsda 0x1b, lsda
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	pushed	%rdi, 24
	pushed	%rsi, 32
	.cfi_escape 0x2e, 16
1:	call	g@PLT
2:	add	$16, %rsp
	.cfi_def_cfa_offset 16
	.cfi_escape 0x2e, 0
3:	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
4:	.cfi_def_cfa_offset 16
	mov	%rax, %rdi
	call	h@PLT
	jmp	3b
	.cfi_endproc
	.section .gcc_except_table, "a"
lsda:	.byte	0xff, 0xff, 1
	.uleb128 6f-5f
5:	.uleb128 1b-f
	.uleb128 2b-1b
	.uleb128 4b-f
	.uleb128 0
6:	.data
	.align	8
personality:
	.quad	0
