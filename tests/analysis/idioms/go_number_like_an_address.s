# Rule: Go's table says where functions of Go start.  Among the data, numbers
# can look like an address in one; here in one that changes stacks (flag 2), for
# which the table has no depths.
# options: -e
# expect: functions 2 
# expect: sound:1 differs-from-pclntab:1 
# expect: silent 11 
	.text
f:	.cfi_startproc
	sub	$24, %rsp
1:	.cfi_def_cfa_offset 32
	mov	%rax, %rsp
	call	*%rbx
2:	jmp	g
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
end:
	.data
	.align	8
	.quad	2b
	.section .gopclntab, "aw"
header:	.long	0xfffffff0
	.byte	0, 0, 1, 8
	.quad	2, 0, f, 0, 0, 0, depths - header, functions - header
functions:
	.long	0, of_f - functions
	.long	g - f, of_g - functions
	.long	end - f
	.macro	data start, depths, flags
	.long	\start - f, 0, 0, 0, \depths, 0, 0, 0, 0
	.byte	0, \flags, 0, 0
	.long	0, 0
	.endm
of_f:	data	f, (of_f_depths-depths), 2
of_g:	data	g, (of_g_depths-depths), 0
	# Changes of the depth, twice (down: less 1), and for how many bytes.
depths:	.byte	0
of_f_depths:
	.uleb128 2, 1b-f
	.uleb128 48, g-1b
	.byte	0
of_g_depths:
	.uleb128 2, 1
	.byte	0
