# Rule: a function goes on with an exception that has landed in it.
# expect: equal 100.000%
	exported	f
f:	.cfi_startproc
	.cfi_personality 0x9b, personality
	.cfi_lsda 0x1b, lsda
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
1:	call	g@PLT
2:	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
3:	.cfi_def_cfa_offset 32
	mov	%rax, %rdi
	call	_Unwind_Resume@PLT
	.cfi_endproc
	.section .gcc_except_table, "a"
lsda:	.byte	0xff, 0xff, 1
	.uleb128 6f-5f
5:	.uleb128 1b-f
	.uleb128 2b-1b
	.uleb128 3b-f
	.uleb128 0
6:	.data
	.align	8
personality:
	.quad	0
