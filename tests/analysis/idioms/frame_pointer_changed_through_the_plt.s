# Rule: as in frame_pointer_changed_by_a_callee, of a function that is called, or
# jumped to, by way of the PLT or the GOT.
# options: -g
# expect: 51 executable, rows for 50.98%
	.globl	by_plt, by_got, by_jump, clobber
	functions	by_plt, by_got, by_jump, jump, clobber
by_plt:	call	clobber@plt
	ret
by_got:	call	*clobber@GOTPCREL(%rip)
	ret
by_jump: call	jump
	ret
clobber: mov	$1, %ebp
	ret
jump:	xor	%eax, %eax
	jmp	clobber@plt
