# Rule: a call through a place that a register makes (f, g) is none of the function
# whose address is at the place that is written there: those of exit () and error ()
# through the GOT do not return (h, i), but error () may if its argument is not known
# (j).
# link: -shared -Wl,-z,norelro -Wl,--section-start=.got=0x30000
# expect: silent 4  functions 5
# expect: sound:5
	.text
	.macro	begin name
\name:	.cfi_startproc
	pushed	%rbx, 16, 3
	.endm
	.macro	end
	mov	%eax, %ecx
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
	.endm
	begin	f
	call	*0x30008(%rbx)
	end
	begin	g
	call	*0x30008(,%rbx,8)
	end
	begin	h
	test	%edi, %edi
	je	1f
	popped	%rbx, 8, 3
	ret
1:	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	call	*exit@GOTPCREL(%rip)
	.byte	0x06
	.cfi_endproc
	begin	i
	test	%edi, %edi
	je	1f
	popped	%rbx, 8, 3
	ret
1:	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	$1, %edi
	call	*error@GOTPCREL(%rip)
	pop	%rbx
	pop	%rbx
2:	ret
	.cfi_endproc
	begin	j
	call	*error@GOTPCREL(%rip)
	end
