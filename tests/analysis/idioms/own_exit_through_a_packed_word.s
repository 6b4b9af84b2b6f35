# Rule: where a word leads that the dynamic linker relocates, and then makes
# read-only, is known, also of a packed table of relocations.
# link: -shared -Wl,-z,relro -Wl,-z,now -Wl,-z,pack-relative-relocs
# options: -e
# expect: silent 5 
die:	.cfi_startproc
	ud2
	.cfi_endproc
	exported	f
f:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	test	%edi, %edi
	je	1f
	jmp	3f
1:	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
3:	.cfi_def_cfa_offset 32
	call	*word(%rip)
	.cfi_endproc
g:	.cfi_startproc
	pushed	%rax, 16
2:	pause
	jmp	2b
	.cfi_endproc
	.section .data.rel.ro, "aw"
	.align	8
word:	.quad	die
