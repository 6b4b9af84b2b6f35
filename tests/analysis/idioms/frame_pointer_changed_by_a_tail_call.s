# Rule: as in frame_pointer_changed_by_a_callee, where FP is changed in front of a
# jump to a function that returns (changes), or on the first or the last of two
# ways back (first, last).
# options: -g
# expect: sound:1 return:5 tail-call:1
	.globl	caller, caller_of_first, caller_of_last, changes, returns, first, last
	.hidden	changes, returns, first, last
	functions	caller, caller_of_first, caller_of_last, first, last
	functions	changes, returns
caller:	call	changes
	ret
changes: mov	%rax, %rbp
	jmp	returns
returns: ret
caller_of_first: call first
	ret
first:	test	%edi, %edi
	je	1f
	mov	%rax, %rbp
	ret
1:	ret
caller_of_last: call last
	ret
last:	test	%edi, %edi
	je	1f
	ret
1:	mov	%rax, %rbp
	ret
