#!/usr/bin/env bats
# --lint: which rows of the CFI are compared with the code, and what is found.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load analysed

@test "--lint finds a push that the CFI does not know of, and exits with 3" {
  wrong_library
  finds 3 wrong.so \
    '*wrong (0x*(7 bytes): CFA: CFI says rsp+16, code does rsp+24; since the instruction at 0x*: 55  push %rbp'
  [ -z "$stderr" ] || report
}

# Entered with 16 bytes more, which the second row knows of, and never left: the
# first row is the wrong one, or nobody knows.
@test "--lint does not take the first row of a function for granted" {
  analysed_library entered <<'END'
	.type	entered, @function
entered: .cfi_startproc
	pushed	%rbx, 32
	mov	%rdi, %rbx
	call	*(%rax)
	ud2
	.cfi_endproc
END
  exits 0 --lint -v entered.so
  [[ $output == *": 0 findings (0 bytes) in 0 of 1 function that could be compared" ]] \
    || report
}

# What the ABI says of an entry holds whatever the first row says, if something
# calls the function or it begins by signing its return address.
@test "--lint compares the first row of a function with the ABI" {
  analysed_library first <<'END'
	.type	framed, @function
framed:	.cfi_startproc
	.cfi_def_cfa_offset 16
	push	%rbx
	call	*(%rax)
	popped	%rbx, 8
	ret
	.cfi_endproc
	.size	framed, .-framed
	exported	patched
patched: .cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	push	%rbx
	call	framed
	popped	%rbx, 8
	ret
	.cfi_endproc
	.size	patched, .-patched
	exported	entered
entered: .cfi_startproc
	.cfi_def_cfa_offset 32
	pushed	%rbx, 40
	call	*(%rax)
	ud2
	.cfi_endproc
	.size	entered, .-entered
END
  exits 3 --lint -v first.so
  [[ $output == *"patched (0x"*"(1 byte): CFA: CFI says rsp+16, code does rsp+8"* ]] \
    || report
  [[ $output == *"framed (0x"*"(1 byte): CFA: CFI says rsp+16, code does rsp+8"* ]] \
    || report
  # The last one may be entered with more, as its CFI says.
  [[ $output == *"2 findings (2 bytes) in 2 of 3 functions"* ]] || report
}

@test "--lint compares the first row of an aarch64 function with the ABI" {
  command -v aarch64-linux-gnu-ld >/dev/null || skip "no linker for aarch64"
  cat >first.s <<'END'
	.text
	.type	early, %function
early:	.cfi_startproc
	nop
	.cfi_negate_ra_state
	paciasp
	str	x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	bl	framed
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 30
	autiasp
	.cfi_negate_ra_state
	ret
	.cfi_endproc
	.size	early, .-early
	.type	framed, %function
framed:	.cfi_startproc
	.cfi_def_cfa_offset 16
	str	x30, [sp, #-16]!
	.cfi_offset 30, -16
	nop
	ldr	x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore 30
	ret
	.cfi_endproc
	.size	framed, .-framed
END
  aarch64-linux-gnu-as -o first.o first.s
  aarch64-linux-gnu-ld -shared -o first.so first.o
  exits 3 --lint -v first.so
  [[ $output == *"early (0x"*"(4 bytes): RA: CFI says in x30, code does it is there, not signed"* ]] \
    || report
  [[ $output == *"framed (0x"*"(4 bytes): CFA: CFI says sp+16, code does sp+0"* ]] \
    || report
  [[ $output == *"2 findings (8 bytes) in 2 of 2 functions"* ]] || report
}

# Where the program begins there is no caller, and nothing to compare.
@test "--lint does not count the entry of a program as left undecided" {
  wrong_library
  cat >program.s <<'END'
	.globl	_start
	.type	_start, @function
_start:	.cfi_startproc
	.cfi_undefined	rip
	call	f
	ud2
	.cfi_endproc
	.type	f, @function
f:	.cfi_startproc
	ret
	.cfi_endproc
	.section .note.GNU-stack, ""
END
  "${CC:-cc}" -nostdlib -static -o program program.s
  exits 0 --lint -v program
  [[ $output == *"in 1 of 1 function that could be compared" ]] || report
}

# GCC moves the rest of a prologue behind a call that it knows not to return.
@test "--lint ends a path that runs out of its function behind a call" {
  analysed_library out <<'END'
	exported	out
out:	.cfi_startproc
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	test	%edi, %edi
	jne	1f
	add	$24, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
1:	.cfi_restore_state
	call	*(%rsi)
	mov	%rbx, 8(%rsp)
	.cfi_endproc
	.size	out, .-out
	exported	next
next:	.cfi_startproc
	ret
	.cfi_endproc
	.size	next, .-next
END
  exits 0 --lint -v out.so
  [[ $output == *"in 2 of 2 functions"* ]] || report
}

# What others call begins with the frame of a call, whether it returns or not.
# Of another function the rows may show the same: one that says that there is
# less on the stack than at the entry is wrong however that is entered.
@test "--lint decides functions that never return" {
  analysed_library exported <<'END'
	exported	exported
exported: .cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 24
	mov	16(%rdi), %rax
	call	*%rax
	ud2
	.cfi_endproc
	.size	exported, .-exported
	.type	less, @function
less:	.cfi_startproc
	sub	$8, %rsp
	call	*%rax
	ud2
	.cfi_endproc
	.size	less, .-less
	.type	agrees, @function
agrees:	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	*%rax
	pushed	%rbx, 32
	call	*%rax
	ud2
	.cfi_endproc
	.size	agrees, .-agrees
	.type	any, @function
any:	.cfi_startproc
	sub	$8, %rsp
	.cfi_def_cfa_offset 24
	call	*%rax
	ud2
	.cfi_endproc
	.size	any, .-any
END
  exits 3 --lint -v exported.so
  [[ $output == *"exported (0x"*"CFI says rsp+24, code does rsp+16"* ]] || report
  [[ $output == *"CFI says rsp+8, code does rsp+16"* ]] || report
  [[ $output == *"CFI says rsp+32, code does rsp+24"* ]] || report
  # The last one may be entered with 8 bytes more: it was not compared.
  [[ $output == *"3 findings "*" in 3 of 4 functions that could be compared"* ]] \
    || report
}

# Used before it has a value, ebx may be what a caller handed over by rules of
# its own; then the CFI alone says with which frame the function begins.
@test "--lint says nothing of a function with a variable without a value" {
  wrong_library
  for value in edx ebx; do
    cat >$value.s <<END
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	%$value, %eax
	push	%rax
	call	*(%rdi)
	pop	%rdx
	pop	%rbx
	.cfi_restore 3
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.section .note.GNU-stack, ""
END
    "${CC:-cc}" -nostdlib -shared -o $value.so $value.s
  done
  exits 3 --lint edx.so
  exits 0 --lint ebx.so
}

# Code that leaves by an array of addresses may be a handler of an interpreter:
# the CFI alone says with which frame it begins.  A word by itself is a tail
# call's.
@test "--lint says nothing of handlers that jump by an array" {
  wrong_library
  local expected
  while IFS='|' read -r expected last; do
    cat >f.s <<END
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	push	%rax
	call	*(%rdi)
	pop	%rdx
	pop	%rbx
	.cfi_restore 3
	.cfi_def_cfa_offset 8
	$last
	.cfi_endproc
	.section .note.GNU-stack, ""
END
    "${CC:-cc}" -nostdlib -shared -o f.so f.s
    exits "$expected" --lint f.so
  done <<'END'
3|jmp *8(%rdi)
3|mov 8(%rdi), %rax; jmp *%rax
0|jmp *(%rdi,%rdx,8)
0|mov (%rdi,%rdx,8), %rax; jmp *%rax
END
}

# As OCaml's compiler writes: an argument comes in rbx, r14 leads to the place
# of the handler on top, and rbp is a register like all others.  The CFI does
# not know of the handler where the function goes to call the garbage collector.
@test "--lint compares functions that keep no registers" {
  analysed_library ocaml <<'END'
	exported	ocaml
ocaml:	.cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	push	%r11
	.cfi_adjust_cfa_offset 8
	push	16(%r14)
	.cfi_adjust_cfa_offset 8
	mov	%rsp, 16(%r14)
	sub	$48, %r15
	cmp	(%r14), %r15
	jb	2f
1:	mov	%rbx, 8(%r15)
	lea	8(%rsp), %rbp
	call	gc
	pop	16(%r14)
	.cfi_adjust_cfa_offset -8
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 8
2:	call	gc
	jmp	1b
	.cfi_endproc
	.type	gc, @function
gc:	.cfi_startproc
	ret
	.cfi_endproc
END
  finds 3 -v ocaml.so \
    '*(7 bytes): CFA: CFI says rsp+16, code does rsp+32; *' \
    '* in 2 of 2 functions that could be compared'
}

# A call of a C function that never returns, by way of one that does, and behind
# it what another path comes to with another stack pointer.
@test "--lint ends a path at a call behind which the stack would have two depths" {
  analysed_library ocaml <<'END'
	exported	ocaml
ocaml:	.cfi_startproc
	lea	-400(%rsp), %r10
	cmp	40(%r14), %r10
	jb	3f
1:	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	cmp	%rax, (%rbx)
	ja	2f
	add	$24, %rsp
	.cfi_adjust_cfa_offset -24
	ret
	.cfi_adjust_cfa_offset 24
2:	call	bound_error
3:	push	$33
	call	c_call
	pop	%r10
	jmp	1b
	.cfi_endproc
	.type	bound_error, @function
bound_error:
	.cfi_startproc
	jmp	c_call
	.cfi_endproc
	.type	c_call, @function
c_call:	.cfi_startproc
	ret
	.cfi_endproc
END
  finds 3 -v ocaml.so \
    '*(2 bytes): CFA: CFI says rsp+32, code does rsp+8; *' \
    '*: CFA: CFI says rsp+32, code does rsp+16; *' \
    '*' \
    '* in 3 of 3 functions that could be compared'
}

# As Go has it.
@test "--lint compares CFI that never tells of the frame pointer" {
  wrong_library
  {
    echo '	.cfi_sections .debug_frame'
    for i in {1..40}; do
      printf '\t.globl\tf%d\n\t.type\tf%d, @function\n' "$i" "$i"
      printf 'f%d:\t.cfi_startproc\n\tpush\t%%rbp\n' "$i"
      # The CFI of f7 does not know of its push.
      case $i in
        7) ;;
        *) printf '\t.cfi_def_cfa_offset 16\n' ;;
      esac
      printf '\tmov\t%%rsp, %%rbp\n\tpop\t%%rbp\n'
      printf '\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\n'
    done
    echo '	.section .note.GNU-stack, ""'
  } >go.s
  "${CC:-cc}" -nostdlib -shared -o go.so go.s
  finds 3 -v go.so \
    '*: f7 (*(4 bytes): CFA: CFI says rsp+8, code does rsp+16; *' \
    '* in 40 of 40 functions that could be compared'
}

# An entry too many of a jump table is such a path; here a branch is.
@test "--lint says nothing of FP where paths meet with two depths" {
  analysed_library meet <<'END'
	exported	meet
meet:	.cfi_startproc
	pushed	%rbp, 16, 6
	mov	%rsp, %rbp
	test	%edi, %edi
	js	2f
	jne	1f
	pop	%rbp
	.cfi_remember_state
	.cfi_restore 6
	.cfi_def_cfa_offset 8
1:	jmp	*%rax
	.cfi_restore_state
2:	popped	%rbp, 8, 6
	ret
	.cfi_endproc
END
  finds 0 -v meet.so '* in 0 of 1 function that could be compared'
}

# The call does not take the path on which the callee changes FP.
@test "--lint says nothing of FP behind a callee that may change it" {
  analysed_library may <<'END'
	exported	may, calls
may:	.cfi_startproc
	test	%esi, %esi
	je	1f
	mov	%rdi, %rbp
1:	ret
	.cfi_endproc
calls:	.cfi_startproc
	pushed	%rbp, 16
	xor	%esi, %esi
	call	may
	nop
	mov	$0, %eax
	popped	%rbp, 8
	ret
	.cfi_endproc
END
  finds 0 -v may.so '* in 1 of 2 functions that could be compared'
}

# Code without CFI follows, of which nothing tells that it begins there.
@test "--lint ends a path at a call that the CFI ends behind" {
  analysed_library last <<'END'
	exported	last
last:	.cfi_startproc
	sub	$24, %rsp
	.cfi_adjust_cfa_offset 24
	test	%edi, %edi
	jne	1f
	add	$24, %rsp
	.cfi_adjust_cfa_offset -24
	ret
	.cfi_adjust_cfa_offset 24
1:	call	report
	.cfi_endproc
	sub	$8, %rsp
	add	$8, %rsp
	ret
END
  finds 0 -v last.so '* in 1 of 1 function that could be compared'
}

# The kernel's frame is not a function's: what CFI says of it no code does.
@test "--lint compares no signal frame" {
  local line
  for line in "" .cfi_signal_frame; do
    cat >frame.s <<END
	.globl	f
	.type	f, @function
f:	.cfi_startproc
	$line
	push	%rbp
	nop
	pop	%rbp
	ret
	.cfi_endproc
	.section .note.GNU-stack, ""
END
    "${CC:-cc}" -nostdlib -shared -o frame.so frame.s
    run "$CFI2SFRAME" --lint frame.so
    [ "$status" -eq "$([ -z "$line" ] && echo 3 || echo 0)" ] || report
  done
}

# A part of a function, elsewhere, whose CFI begins like a function's.  $1 says
# what else leads to it.
library_with_a_part ()
{
  wrong_library
  cat >part.s <<END
	$1
	.text
	.globl	whole
	.type	whole, @function
whole:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov	%rdi, %rbx
	test	%rdi, %rdi
	js	part
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.section .text.unlikely, "ax"
	.type	part, @function
part:	.cfi_startproc
	mov	%rbx, %rdi
	call	*(%rax)
	ud2
	.cfi_endproc
	.section .note.GNU-stack, ""
END
  "${CC:-cc}" -nostdlib -shared -Wl,-Bsymbolic -o part.so part.s
}

@test "--lint compares a part whose CFI begins like a function's with its function" {
  library_with_a_part ""
  strip part.so
  finds 3 part.so '*(7 bytes): CFA: CFI says rsp+8, code does rsp+16; *'
}

@test "--lint takes nothing for a part that is exported" {
  library_with_a_part ".globl part"
  strip part.so
  exits 0 --lint part.so
}

@test "--lint takes nothing for a part that data point to" {
  library_with_a_part ".data; .quad part"
  strip part.so
  exits 0 --lint part.so
}

# LLVM merges returns without rows of their own: where the jump gets to the
# last one, the frame pointer was never saved.
@test "--lint finds a frame pointer that was saved on another path" {
  analysed_library unsaved <<'END'
	exported	unsaved
unsaved: .cfi_startproc
	test	%rdi, %rdi
	je	1f
	pushed	%rbp, 16, 6
	mov	%rdi, %rbp
	call	*%rsi
	popped	%rbp, 8
1:	ret
	.cfi_endproc
END
  finds 3 unsaved.so \
    "*(1 byte): FP: CFI says at CFA-16, code does nothing was saved there; rbp is still the caller's; *"
}

@test "--lint finds a frame pointer that was saved in another word" {
  analysed_library word <<'END'
	exported	word
word:	.cfi_startproc
	sub	$40, %rsp
	.cfi_def_cfa_offset 48
	.cfi_offset 6, -16
	mov	%rbp, 32(%rsp)
	.cfi_offset 6, -24
	xor	%ebp, %ebp
	.cfi_offset 6, -16
	mov	32(%rsp), %rbp
	.cfi_restore 6
	add	$40, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END
  finds 3 -v word.so \
    "*(5 bytes): FP: CFI says at CFA-16, code does nothing was saved there; rbp is still the caller's; *" \
    "*(2 bytes): FP: CFI says at CFA-24, code does nothing was saved there; the caller's is at CFA-16; *" \
    '*2 findings (7 bytes) in 1 of 1 function that could be compared*'
}

# Behind the call SP is what the callee has left, which is trusted; FP is known.
@test "--lint finds a wrong frame pointer behind the call of a pointer" {
  analysed_library behind <<'END'
	exported	behind
behind:	.cfi_startproc
	pushed	%rbp, 16, 6
	mov	%rsp, %rbp
	.cfi_def_cfa_register 6
	sub	$16, %rsp
	call	*%rdi
	.cfi_restore 6
	xor	%eax, %eax
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
END
  finds 3 -v behind.so \
    "*(3 bytes): FP: CFI says in rbp, code does an address in the stack is there; the caller's is at CFA-16; *" \
    '* in 1 of 1 function that could be compared*'
}

# The CFA by a register that holds an argument may be right.
@test "--lint counts no function as compared with a row that it cannot judge" {
  analysed_library open <<'END'
	exported	open
open:	.cfi_startproc
	pushed	%rbx, 16, 3
	mov	%rdi, %rbx
	.cfi_def_cfa 3, 24
	xor	%eax, %eax
	.cfi_def_cfa 7, 16
	popped	%rbx, 8, 3
	ret
	.cfi_endproc
END
  exits 0 --lint -v open.so
  [[ $output == *"0 findings (0 bytes) in 0 of 1 function that could be compared"* ]] \
    || report
}

# As clang 14 writes a function that ends in one of two tail calls: the `add'
# that both begin with is done in front of the branch, its row is not (LLVM's
# issue 220720).
@test "--lint finds an epilogue that was moved in front of a branch" {
  analysed_library choose <<'END'
	exported	choose
choose:	.cfi_startproc
	pushed	%rbx, 16, 3
	sub	$16, %rsp
	.cfi_def_cfa_offset 32
	mov	%esi, %ebx
	call	prepare@PLT
	add	$16, %rsp
	test	%ebx, %ebx
	je	1f
	.cfi_def_cfa_offset 16
	popped	%rbx, 8
	jmp	first@PLT
1:	.cfi_def_cfa_offset 16
	popped	%rbx, 8
	jmp	second@PLT
	.cfi_endproc
END
  finds 3 choose.so \
    '*(4 bytes): CFA: CFI says rsp+32, code does rsp+16; *: 48 83 c4 10  add *'
}

@test "--lint finds a CFA by a register that is the caller's again" {
  analysed_library late <<'END'
	exported	late
late:	.cfi_startproc
	pushed	%rbp, 16, 6
	mov	%rsp, %rbp
	.cfi_def_cfa_register 6
	leave
	ret
	.cfi_endproc
END
  finds 3 late.so \
    "*(1 byte): CFA: CFI says rbp+16, code does elsewhere: rbp is the caller's rbp; *"
}

# The caller is followed first, and again when it is known what the callee does.
@test "--lint knows of callees that change the frame pointer" {
  analysed_library set <<'END'
	exported	right
right:	.cfi_startproc
	pushed	%rbp, 16, 6
	call	enter
	.cfi_def_cfa_register 6
	nop
	pop	%rbp
	.cfi_restore 6
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
enter:	lea	8(%rsp), %rbp
	ret
END
  finds 0 -v set.so \
    '*: 0 findings (0 bytes) in 0 of 1 function that could be compared'
}

@test "--lint finds nothing where the CFI is right" {
  wrong_library
  small_program
  exits 0 --lint small
  silent
}

@test "--lint finds a return address that is signed only in the code" {
  foreign_library unsigned_after_all
  exits 3 --lint unsigned_after_all.so
  [[ ${lines[0]} == *" RA: CFI says in x30, code does the return address is there, signed; "* ]] \
    || report
  needs python3
  tool --lint --stats=json unsigned_after_all.so
  [[ $output == *'"rule":"ra"'* ]] || report
  tool --verify-code --stats unsigned_after_all.so
  [[ $output == *"left out 12 bytes"* ]] || report
}
