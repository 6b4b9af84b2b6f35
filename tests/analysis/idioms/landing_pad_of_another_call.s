# Rule: a call in front of a range of call sites has no landing pad.
# expect: equal 100.000%
	.globl f
	.type f,@function
f:	.cfi_startproc
	.cfi_personality 0x9b, personality
	.cfi_lsda 0x1b, lsda
	pushed	%rbx, 16, 3
	call	g@PLT
	sub	$16, %rsp
	.cfi_def_cfa_offset 32
1:	call	g@PLT
2:	add	$16, %rsp
	.cfi_def_cfa_offset 16
3:	popped	%rbx, 8, 3
	ret
4:	.cfi_def_cfa_offset 32
	.cfi_offset 3, -16
	mov	%rax, %rdi
	call	h@PLT
	jmp	2b
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
