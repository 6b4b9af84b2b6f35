# Rule: the entry that was chosen for a library begins without the frame of a call,
# and has no rows.  What it calls are functions.
# link: -shared -Wl,-e,begin
# options: -g
# expect: sound:1 unproven:2
# expect: rows for 60.98%
	.text
	exported	f
f:	xor	%eax, %eax
	jmp	*(%rdi)
	.globl	begin
begin:	mov	%rsp, %rdi
	and	$-16, %rsp
	call	g
	hlt
g:	sub	$24, %rsp
	lea	h(%rip), %rax
	add	$24, %rsp
	jmp	*%rax
h:	push	%rbp
	mov	%rsp, %rbp
1:	call	*(%rdi)
	jmp	1b
