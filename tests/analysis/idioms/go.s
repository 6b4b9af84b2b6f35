# Functions of Go are found by the table of its linker, which also knows what
# calls do not return (panic): what is behind such a call has another depth.
# Only the frame pointer is the caller's; r12 is free.  The table is wrong about
# g, and knows nothing of h.
# options: -e
# expect: sound:2 differs-from-pclntab:2
# expect: silent 2 
	.text
f:	.cfi_startproc
	cmp	16(%r14), %rsp
	jbe	2f
	sub	$24, %rsp
5:	.cfi_def_cfa_offset 32
	mov	%rbp, 16(%rsp)
	.cfi_offset 6, -16
	lea	16(%rsp), %rbp
	mov	%rax, %r12
	test	%r12, %r12
	je	1f
	call	panic
3:	mov	16(%rsp), %rbp
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	.cfi_restore 6
4:	ret
1:	.cfi_def_cfa_offset 32
	.cfi_offset 6, -16
	call	panic
	nop
2:	.cfi_def_cfa_offset 8
	.cfi_restore 6
	call	panic
	jmp	f
	.cfi_endproc
panic:	.cfi_startproc
	ret
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
h:	.cfi_startproc
	ret
	.cfi_endproc
end:
	.section .gopclntab, "aw"
header:	.long	0xfffffff0
	.byte	0, 0, 1, 8
	.quad	4, 0, f, 0, 0, 0, depths - header, functions - header
functions:
	.long	0, of_f - functions
	.long	panic - f, of_panic - functions
	.long	g - f, of_g - functions
	.long	h - f, of_h - functions
	.long	end - f
	.macro	data start, depths
	.long	\start - f, 0, 0, 0, \depths, 0, 0, 0, 0
	.byte	0, 0, 0, 0
	.long	0, 0
	.endm
of_f:	data	f, (of_f_depths-depths)
of_panic: data	panic, (constant-depths)
of_g:	data	g, (wrong-depths)
of_h:	data	h, 0
	# Changes of the depth, twice (down: less 1), and for how many bytes.
depths:	.byte	0
of_f_depths:
	.uleb128 2, 5b-f
	.uleb128 48, 4b-5b
	.uleb128 47, 1b-4b
	.uleb128 48, 2b-1b
	.uleb128 47, panic-2b
	.byte	0
constant:
	.uleb128 2, 1
	.byte	0
wrong:	.uleb128 18, 1
	.byte	0
