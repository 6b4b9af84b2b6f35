# Rule: as in frame_pointer_changed_by_a_callee, of functions that call each
# other: a, which is followed first, changes FP because b does.
# options: -g
# expect: rows for 0.00%
	.globl	a, b, c
	.hidden	a, b, c
	functions	c, a, b
c:	call	a
	ret
a:	test	%edi, %edi
	je	1f
	dec	%edi
	call	b
1:	ret
b:	test	%edi, %edi
	je	2f
	dec	%edi
	call	a
2:	test	%esi, %esi
	je	3f
	mov	%rdi, %rbp
3:	ret
