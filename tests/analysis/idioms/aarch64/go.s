# Functions of Go on aarch64: the frame pointer is kept one word below the stack
# pointer, where callees leave it alone, and the call that makes the stack larger
# comes back to the entry.
# options: -e
# expect: silent 4  functions 3
# expect: sound:3
	.text
f:	.cfi_startproc
	ldr	x16, [x28, #16]
	cmp	sp, x16
	b.ls	2f
	str	x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 30, -32
5:	stur	x29, [sp, #-8]
	.cfi_offset 29, -40
	sub	x29, sp, #8
	mov	x19, x0
	bl	g
	ldur	x29, [sp, #-8]
	.cfi_restore 29
	ldr	x30, [sp], #32
	.cfi_restore 30
	.cfi_def_cfa_offset 0
4:	ret
2:	mov	x3, x30
	.cfi_register 30, 3
	bl	more
	b	f
	.cfi_endproc
g:	.cfi_startproc
	ret
	.cfi_endproc
more:	.cfi_startproc
	ret
	.cfi_endproc
end:
	.section .gopclntab, "aw"
header:	.long	0xfffffff0
	.byte	0, 0, 4, 8
	.quad	3, 0, f, 0, 0, 0, depths - header, functions - header
functions:
	.long	0, of_f - functions
	.long	g - f, of_g - functions
	.long	more - f, of_more - functions
	.long	end - f
	.macro	data start, depths
	.long	\start - f, 0, 0, 0, \depths, 0, 0, 0, 0
	.byte	0, 0, 0, 0
	.long	0, 0
	.endm
of_f:	data	f, (of_f_depths-depths)
of_g:	data	g, (constant-depths)
of_more: data	more, (constant-depths)
	# Changes of the depth, twice (down: less 1), and for how many instructions.
depths:	.byte	0
of_f_depths:
	.uleb128 2, (5b-f)/4
	.uleb128 64, (4b-5b)/4
	.uleb128 63, (g-4b)/4
	.byte	0
constant:
	.uleb128 2, 1
	.byte	0
