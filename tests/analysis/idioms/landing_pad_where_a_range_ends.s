# Rule: a call where a range of call sites ends has the landing pad of the range that
# begins there: the end is not in the range (LSB, exception frames).
# expect: 40 equal 100.000%
	.globl f
	.type f,@function
f:	.cfi_startproc
	.cfi_personality 0x9b, personality
	.cfi_lsda 0x1b, lsda
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
1:	call	g@PLT
2:	call	g@PLT
3:	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
4:	.cfi_def_cfa_offset 16
	mov	%rax, %rdi
	call	h@PLT
	jmp	3b
5:	mov	%rax, %rsi
	call	h@PLT
	nop
	jmp	3b
	.cfi_endproc
	.section .gcc_except_table, "a"
lsda:	.byte	0xff, 0xff, 1
	.uleb128 7f-6f
6:	.uleb128 1b-f
	.uleb128 2b-1b
	.uleb128 4b-f
	.uleb128 0
	.uleb128 2b-f
	.uleb128 3b-2b
	.uleb128 5b-f
	.uleb128 0
7:	.data
	.align	8
personality:
	.quad	0
