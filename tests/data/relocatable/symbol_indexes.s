# What holds indexes of symbols, in one object: relocations with and without
# addends, groups, and LLVM's sections; and functions in sections that have no
# symbol, so that symbols are added.
#   clang -c symbol_indexes.s      (clang 14)
# SPDX-License-Identifier: LGPL-2.1-or-later
	.section .text.one,"ax",@progbits
	.globl one
one:	call two
	ret
	.section .text.two,"axG",@progbits,two,comdat
	.weak two
two:	xorl %eax,%eax
local:	ret
	.section .eh_frame,"a",@unwind
0:	.long 2f-1f
1:	.long 0
	.byte 1
	.asciz "zR"
	.byte 1,0x78,16,1,0x1b, 0x0c,7,8, 0x90,1
	.balign 8,0
2:	.long 4f-3f
3:	.long 3b-0b
	.long one-.
	.long 6
	.byte 0
	.balign 8,0
4:	.long 6f-5f
5:	.long 5b-0b
	.long two-.
	.long 3
	.byte 0
	.balign 8,0
6:
	.section .rodata.str1.1,"aMS",@progbits,1
	.asciz "text"
	.data
	.quad one, two, local, other
	.bss
	.skip 16
	.addrsig
	.addrsig_sym two
	.addrsig_sym one
	.cg_profile one, two, 7
