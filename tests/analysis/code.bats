#!/usr/bin/env bats
# --lint, --verify-code, --analyze: the code beside its CFI.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers

macros=$srcdir/tests/analysis/idioms/macros.inc

# analysed_library NAME: make NAME.so of the assembly code on standard input, if
# this build can analyse it.  The code may use the macros of the idioms.
analysed_library ()
{
  wrong_library
  { cat "$macros" -; printf '\t.section .note.GNU-stack, ""\n'; } >"$1.s"
  "${CC:-cc}" -nostdlib -shared -o "$1.so" "$1.s"
}

# finds STATUS [-v] FILE LINE...: --lint exits with STATUS and prints these lines,
# and the instructions around its findings, which do not count.  In LINE `*' stands
# for anything.
finds ()
{
  local wanted=$1 options=() line
  shift
  if [ "$1" = -v ]; then
    options=(-v)
    shift
  fi
  exits "$wanted" --lint "${options[@]}" "$1"
  shift
  mapfile -t lines < <(printf '%s\n' "${lines[@]}" | grep -v '^  ')
  [ "${#lines[@]}" -eq $# ] || report
  for line in "${lines[@]}"; do
    # "*(" would begin a pattern of another kind.
    # shellcheck disable=SC2053
    [[ $line == ${1//\(/\\(} ]] || report
    shift
  done
}

@test "--lint finds a push that the CFI does not know of, and exits with 3" {
  wrong_library
  finds 3 wrong.so \
    '*wrong (0x*(7 bytes): CFA: CFI says rsp+16, code does rsp+24; since the instruction at 0x*: 55  push %rbp'
  [ -z "$stderr" ] || report
}

@test "--lint as JSON" {
  wrong_library
  needs python3
  exits 3 --lint --stats=json wrong.so
  python3 - "$output" <<'END'
import json, sys
report = json.loads (sys.argv[1])
assert report["status"] == "found" and report["bytes_wrong"] == 7
finding, = report["findings"]
assert finding["name"] == "wrong" and finding["rule"] == "cfa"
assert finding["address"] == finding["function"] + 2 and finding["size"] == 7
assert finding["since"] == finding["function"] + 1
assert finding["instruction"] == "55"
assert finding["instruction_text"] == "push %rbp"
steps = finding["steps"]
assert [step["wrong"] for step in steps] == [0, 0, 1, 1, 1, 0, 0]
assert [step["cfa"] for step in steps[1:3]] == ["rsp+16", "rsp+24"]
assert {step["cfi"] for step in steps[1:6]} == {"rsp+16"}
END
}

@test "--lint shows the instructions around a finding, and what holds at each" {
  analysed_library steps <<'END'
	exported	f
f:	.cfi_startproc
	nop
	nop
	nop
	pushed	%rbp, 16, 6
	xor	%ebp, %ebp
	push	%rbx
	.fill	7, 1, 0x90
	pop	%rbx
	popped	%rbp, 8, 6
	ret
	.cfi_endproc
END
  exits 3 --lint steps.so
  local entry
  entry=$((0x$(nm steps.so | awk '$3 == "f" { print $1 }')))
  # address, mark, state and rule of the CFI at each: three in front, the first
  # four and the last one of the wrong ones, two behind.
  sed 1d <<<"$output" | sed 's/:.*//' >is
  while read -r mark at rest; do
    case $mark in
      ...) echo "    ..." ;;
      W) printf '  ! 0x%x  %s\n' $((entry + at)) "$rest" ;;
      *) printf '    0x%x  %s\n' $((entry + at)) "$rest" ;;
    esac
  done >expected <<'END'
_ 3 CFA rsp+8     RA at CFA-8   FP in rbp     CFI rsp+8
_ 4 CFA rsp+16    RA at CFA-8   FP at CFA-16  CFI rsp+16
_ 6 CFA rsp+16    RA at CFA-8   FP at CFA-16  CFI rsp+16
W 7 CFA rsp+24    RA at CFA-8   FP at CFA-16  CFI rsp+16
W 8 CFA rsp+24    RA at CFA-8   FP at CFA-16  CFI rsp+16
W 9 CFA rsp+24    RA at CFA-8   FP at CFA-16  CFI rsp+16
W 10 CFA rsp+24    RA at CFA-8   FP at CFA-16  CFI rsp+16
...
W 14 CFA rsp+24    RA at CFA-8   FP at CFA-16  CFI rsp+16
_ 15 CFA rsp+16    RA at CFA-8   FP at CFA-16  CFI rsp+16
_ 16 CFA rsp+8     RA at CFA-8   FP in rbp     CFI rsp+8
END
  diff is expected || report
  [[ $output == *" CFI rsp+16: 53  push %rbx"* ]] || report
}

@test "--lint of several files prints the same, whatever -j is" {
  wrong_library
  mkdir several
  for name in a b c d; do cp wrong.so several/$name.so; done
  printf 'no program\n' >several/text
  exits 3 --lint -v -r -j1 several
  [[ ${lines[0]} == *a.so:*"CFI says"* ]] || report
  [[ ${lines[-1]} == *d.so:*"1 finding (7 bytes)"* ]] || report
  [ -z "$stderr" ] || report
  local one=$output
  exits 3 --lint -v -r -j4 several
  [ "$output" = "$one" ] || report
  exits 1 --lint -v -j4 several/a.so several/text
  [[ $stderr == *"several/text: not an ELF file"* ]] || report
  [[ ${lines[-1]} == *a.so:*"1 finding (7 bytes)"* ]] || report
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

# What hidden CFI cannot show: that the row is by another register than the CFI.
@test "--analyze finds no CFA by a variable in the frame pointer's register" {
  wrong_library
  cat >variable.s <<'END'
	.globl	variable
	.type	variable, @function
variable:
	push	%rbp
	sub	$32, %rsp
	lea	16(%rsp), %rax
	mov	%rax, 8(%rsp)
	lea	8(%rsp), %rdi
	call	change
	mov	8(%rsp), %rbp
	mov	%rbp, %rax
	add	$32, %rsp
	pop	%rbp
	ret
	.type	change, @function
change:	movq	$0, (%rdi)
	ret
	.section .note.GNU-stack, ""
END
  "${CC:-cc}" -nostdlib -shared -o variable.so wrong.s variable.s
  exits 0 --analyze -o rows.so variable.so
  exits 0 --dump rows.so
  [[ $output == *" sp+48 "* ]] || report
  [[ $output != *" fp"[+-]* ]] || report
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

# A pop whose address the stack pointer is in says nothing of SP that could be
# relied on; one to a frame's word overwrites what is there.
@test "a word popped over the caller's register is not that any more" {
  analysed_library popped <<'END'
	exported	popped
popped:	push	%rbp
	mov	%rsp, %rbp
	push	%rax
	pop	(%rbp)
	pop	%rbp
	ret
END
  tool --analyze --stats popped.so
  [[ $output != *"from code"[^,]*"functions"* ]] || report
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

# 20,000 places where paths meet are more than a file of this size may have.
@test "--lint and --analyze say how many functions they left" {
  analysed_library huge <<'END'
	exported	huge
huge:	.cfi_startproc
	.rept	20000
	jz	1f
1:
	.endr
	ret
	.cfi_endproc
END
  exits 0 --lint -v huge.so
  [[ ${lines[1]} == "huge.so: 1 function was not followed: that takes too long" ]] \
    || report
  exits 0 --lint --stats=json huge.so
  [[ $output == *'"functions_left":1,'* ]] || report
  exits 0 --analyze --stats huge.so
  [[ $output == *"note: 1 function was not followed: that takes too long"* ]] \
    || report
}

# 1,000 functions: pairs of which the second goes on in the first, so that both
# show what is wrong there, and the first is to be named.  Each fifth pair calls
# by way of a jump table what nobody else calls.
many_functions ()
{
  for ((i = 0; i < 500; i++)); do
    cat <<END
	.globl	first$i
	.type	first$i, @function
first$i: .cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	push	%r$((12 + i % 4))
	.cfi_def_cfa_offset 24
END
    ((i == 0)) || echo "	call	second$((i / 2))"
    ((i % 5)) || cat <<END
	cmp	\$1, %edi
	ja	last$i
	mov	%edi, %edi
	lea	2f(%rip), %rax
	movslq	(%rax,%rdi,4), %rdx
	add	%rax, %rdx
	jmp	*%rdx
1:	call	own$i
	.section .rodata
2:	.long	1b - 2b, last$i - 2b
	.text
END
    cat <<END
last$i:	.cfi_def_cfa_offset 16
	pop	%r$((12 + i % 4))
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
own$i:	ret
	.globl	second$i
	.type	second$i, @function
second$i: .cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	push	%r$((12 + i % 4))
	.cfi_def_cfa_offset 24
	jmp	last$i
	.cfi_endproc
END
  done
  echo '	.section .note.GNU-stack, ""'
}

# The program has thousands of functions.  Those of its twin without CFI are
# found one by another, so that much of what is followed ahead is outdated.
@test "--lint, --verify-code and --analyze come to the same whatever -j is" {
  wrong_library
  many_functions >many.s
  "${CC:-cc}" -nostdlib -shared -o many.so many.s
  cp "$CFI2SFRAME" whole
  objcopy -R .eh_frame -R .eh_frame_hdr whole hidden
  for jobs in 1 2 7; do
    exits 3 --lint -j$jobs --stats=json many.so
    echo "$output" >lint.$jobs
    [[ $output == *'"functions_trusted":1000,'* ]] || report
    exits 0 --lint -v -j$jobs whole
    echo "$output" >>lint.$jobs
    exits 0 --verify-code -j$jobs -o verified.$jobs many.so
    exits 0 --analyze -j$jobs -o analysed.$jobs hidden
    for made in lint verified analysed; do
      cmp $made.1 $made.$jobs
    done
  done
}

# A function with a jump table, whose wrong rows are found from the last block
# on, in the middle of functions that need no second look; earlier ones of the
# table's kind make it followed again.
function_followed_again ()
{
  local i
  one ()
  {
    printf '%s: .cfi_startproc\n%s\n.cfi_endproc\n.size %s, . - %s\n' \
      "$1" "$2" "$1" "$1"
    printf '.globl %s\n.type %s, @function\n' "$1" "$1"
  }
  switch ()
  {
    printf 'cmp $1, %%edi\nja .LE%s\nmov %%edi, %%edi\nlea .LT%s(%%rip), %%rdx
movslq (%%rdx,%%rdi,4), %%rax\nadd %%rdx, %%rax\njmp *%%rax' "$1" "$1"
  }
  for ((i = 0; i < 400; i++)); do
    one "before$i" $'nop\nnop\nret'
  done
  for ((i = 0; i < 6; i++)); do
    one "table$i" "sub \$8, %rsp
.cfi_def_cfa_offset 16
$(switch $i)
.LA$i: call .LC$i
.LE$i: add \$8, %rsp
.cfi_def_cfa_offset 8
ret"
  done
  one twice "sub \$24, %rsp
.cfi_def_cfa_offset 32
$(switch 6)
.LB6: .cfi_def_cfa_offset 16
nop
nop
nop
.LA6: nop
nop
nop
jmp .LE6
.LE6: .cfi_def_cfa_offset 32
add \$24, %rsp
.cfi_def_cfa_offset 8
ret"
  for ((i = 0; i < 200; i++)); do
    one "behind$i" $'nop\nnop\nret'
  done
  for ((i = 0; i < 6; i++)); do
    printf '.LC%s: ret\n' $i
  done
  printf '.section .rodata\n.balign 4\n.LT6: .long .LA6 - .LT6, .LB6 - .LT6\n'
  for ((i = 0; i < 6; i++)); do
    printf '.LT%s: .long .LA%s - .LT%s, .LE%s - .LT%s\n' $i $i $i $i $i
  done
}

# What had been found ahead of the turn took part of what was found then.
@test "--lint and --verify-code know all wrong rows of a function followed twice" {
  wrong_library
  function_followed_again >twice.s
  "${CC:-cc}" -nostdlib -shared -o twice.so twice.s
  for jobs in 1 2 7; do
    exits 3 --lint -j$jobs twice.so
    [[ $output == *"twice "*"(8 bytes): CFA: CFI says rsp+16, code does rsp+32"* ]] || report
    exits 0 --verify-code -j$jobs -o verified.$jobs twice.so
    cmp verified.1 verified.$jobs
  done
}

@test "--lint finds nothing where the CFI is right" {
  wrong_library
  small_program
  exits 0 --lint small
  silent
}

# What GCC writes for a function that realigns its stack: FP "at *(rbp+0)" is
# never taken back.
realigned_library ()
{
  analysed_library realigned <<'END'
	exported	realigned
realigned: .cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa 10, 0
	and	$-32, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10, 6, 2, 0x76, 0
	push	%r10
	.cfi_escape 0xf, 3, 0x76, 0x78, 6
	sub	$40, %rsp
	add	$40, %rsp
	pop	%r10
	.cfi_def_cfa 10, 0
	pop	%rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
	.size	realigned, .-realigned
END
}

@test "FP by FP has no row at the end of a function that realigns its stack" {
  realigned_library
  exits 3 --lint realigned.so
  [[ $output == *"CFI says at rbp+0, code does rbp is the caller's again"* ]] \
    || report
  "$CFI2SFRAME" realigned.so
  "$CFI2SFRAME" --dump realigned.so >rows
  # The body has its row, and so has the place where %rbp is taken from the stack,
  # behind it.  What --lint names, from 0x1e on, has none.
  grep -q '(fp-8) *(fp+0)' rows
  grep -q 'size = 30 bytes' rows
  [ "$(grep -Ec 'sp[+][0-9]+ *[(]fp' rows)" -eq 0 ]
  "$CFI2SFRAME" --check realigned.so
}

@test "--gnu writes FP by FP wherever GNU as does" {
  realigned_library
  "$CFI2SFRAME" --gnu realigned.so
  "$CFI2SFRAME" --dump realigned.so >rows
  grep -Eq 'r10[+]0 *[(]fp[+]0[)]' rows
  grep -Eq 'sp[+]8 *[(]fp[+]0[)]' rows
}

@test "--lint changes nothing and takes no output file" {
  wrong_library
  before=$(checksum wrong.so)
  run "$CFI2SFRAME" --lint wrong.so
  [ "$(checksum wrong.so)" = "$before" ]
  exits 2 --lint -o out wrong.so
}

@test "--verify-code leaves the wrong rows out, and only them" {
  wrong_library
  cp wrong.so trusted.so
  "$CFI2SFRAME" --strict trusted.so
  exits 0 --verify-code --stats wrong.so
  [[ $output == *"left out 7 bytes"* ]] || report
  [[ $output == *"left out: 1 (the code does something else)"* ]] || report
  tool --compare trusted.so wrong.so
  [[ $output == *" 7 only in A, 0 only in B"* ]] || report
  exits 0 --check wrong.so
}

# An equal program's rows are used again, but not where the code contradicts
# them.
@test "--verify-code looks at functions whose CFI is another one's" {
  add_function () # NAME INSTRUCTION, which the CFI takes for a push, INSTRUCTION
  {
    cat <<END
	.globl $1
	.type $1, @function
$1:	.cfi_startproc
	$2
	.cfi_def_cfa_offset 16
	xor %eax, %eax
	$3
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size $1, . - $1
	.balign 16
END
  }
  {
    add_function right 'push %rbx' 'pop %rbx'
    add_function odd cld cld
    add_function again 'push %rbx' 'pop %rbx'
  } | analysed_library equal
  exits 0 --verify-code --stats equal.so
  [[ $output == *"left out: 1 (the code does something else)"* ]] || report
  tool --dump equal.so
  [ "$(grep -c 'sp+16' <<<"$output")" -eq 2 ] || report
}

@test "--analyze makes rows for code without CFI, which --check compares" {
  wrong_library
  exits 0 --analyze --stats wrong.so
  [[ $output == *"from CFI 14 bytes, from code 24 bytes (2 functions)"* ]] \
    || report
  exits 0 --check wrong.so
  [[ $output == *"24 of these bytes have no CFI and were compared with their code"* ]] \
    || report
}

# What is below the stack pointer and then in a new frame is not the caller's FP
# any more, though it was when it was pushed there.
# The alignment behind f is run, and its rows are the code's: f's last one is not.
@test "--check compares code between functions with the code, not with a wrong row in front" {
  needs_x86_64_compiler
  "${CC:-cc}" -shared -nostdlib -x assembler -o file - <<'END'
        .text
        .globl  f
        .type   f, @function
f:      .cfi_startproc
        .cfi_offset 6, -16
        nop
        .cfi_endproc
        .size   f, . - f
        .p2align 4
        .globl  g
        .type   g, @function
g:      .cfi_startproc
        ret
        .cfi_endproc
        .size   g, . - g
END
  convert --analyze file
  exits 0 --check -v file
  [[ $output == *"17 bytes of code equal, 0 wrong"* ]] || report
  skipped file --analyze --replace=auto
}

@test "--analyze forgets what a popped register has left in the stack" {
  analysed_library twice <<'END'
	exported	twice
twice:	push	%rbp
	xor	%ebp, %ebp
	pop	%rbp
	sub	$24, %rsp
	mov	%rsp, %rdi
	call	*%rax
	add	$24, %rsp
	ret
END
  exits 0 --analyze twice.so
  tool --dump twice.so
  [[ $output == *sp+16*c-16* ]] || report
  [[ $output == *sp+32*u* && $output != *sp+32*c-16* ]] || report
}

# Code that is entered by jumps alone, with the frame of the function that the
# labels are in.
@test "--analyze takes no labels of threaded code for functions" {
  analysed_library threaded <<'END'
	exported	run
run:	sub	$264, %rsp
	mov	(%rdi), %rax
	jmp	*%rax
next:	add	$8, %rdi
	mov	(%rdi), %rax
	jmp	*%rax
stop:	add	$264, %rsp
	ret
	exported	other
other:	xor	%eax, %eax
	ret
	.data
	.quad	next, stop
END
  exits 0 --analyze threaded.so
  tool --dump threaded.so
  [[ $output == *"Num FDEs: 1"$'\n'* && $output == *"size = 3 bytes"* ]] \
    || report
}

# Behind a call that does not return is the next function: "second", of which
# nothing else is known, with 24 bytes more than its entry would have.
@test "--analyze does not run on behind calls of what never comes back" {
  analysed_library behind <<'END'
	exported	enter
enter:	sub	$8, %rsp
	call	seen@plt
	test	%edi, %edi
	je	1f
	js	2f
	call	first
2:	call	third
1:	add	$8, %rsp
	ret
first:	sub	$24, %rsp
	call	never@plt
second:	sub	$40, %rsp
	mov	%rdi, (%rsp)
	call	never@plt
third:	sub	$56, %rsp
	call	seen@plt
	mov	%rdi, (%rsp)
	call	never@plt
	hlt
	exported	back
back:	sub	$8, %rsp
	call	seen@plt
	add	$8, %rsp
	ret
END
  exits 0 --analyze behind.so
  tool --dump behind.so
  # Up to the calls; "third" up to its second one.
  [[ $output == *sp+32* && $output == *sp+64* && $output != *sp+72* ]] || report
  [[ $output == *"size = 9 bytes"* && $output == *"size = 18 bytes"* ]] \
    || report
}

@test "--check counts no return address as compared with its code" {
  needs jq
  analysed_library skipped <<'END'
	exported	f
f:	test	%edi, %edi
	jne	1f
	push	%rbx
	call	stop
1:	ret
	.size	f, . - f
	.type	stop, @function
stop:	jmp	stop
	.size	stop, . - stop
END
  exits 0 --analyze skipped.so
  exits 0 --check --stats=json skipped.so
  [ "$(jq -c '[.bytes_equal, .bytes_from_code, .bytes_return_address]' \
    <<<"$output")" = "[12,12,1]" ] || report
}

@test "rows from code are checked as well when the symbols are gone" {
  small_program f
  convert --analyze f
  tool --check f
  [[ $output == *"0 wrong"*"0 without CFI"* ]] || report
  local from_code
  from_code=$(grep -o '[0-9]* of these bytes' <<<"$output")
  strip f
  exits 0 --check f
  [[ $output == *" 0 without CFI"*"$from_code"* ]] || report
}

# A function that leaves by a jump, known by a symbol, and by a pointer when the
# symbol is gone.
@test "rows of functions that leave by a jump are checked without symbols" {
  analysed_library leaves <<'END'
	functions	leaves, calls
leaves:	mov	(%rdi), %rax
	jmp	*16(%rax)
calls:	push	%rax
	call	leaves
	pop	%rdx
	ret
	.data
	.quad	calls
END
  exits 0 --analyze leaves.so
  tool --check leaves.so
  [[ $output == *" 0 wrong"*" 0 without CFI"* ]] || report
  strip leaves.so
  tool --check leaves.so
  [[ $output == *" 0 wrong"*" 0 without CFI"* ]] || report
}

# The first analysis finds one of two functions without CFI.  What it had found
# was taken for CFI by the second one, then forgotten: --check found rows for
# code without CFI.
@test "rows of a function that only a symbol named are checked without symbols" {
  analysed_library named <<'END'
	exported	described
	functions	called, named
described: .cfi_startproc
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	called
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.p2align 4
called:	push	%rbx
	mov	%rdi, %rbx
	mov	%rbx, %rax
	pop	%rbx
	ret
	.p2align 4
named:	push	%rbx
	mov	%rdi, %rbx
	lea	4(%rbx), %rax
	pop	%rbx
	ret
END
  convert --analyze named.so
  tool --check named.so
  [[ $output == *" 0 without CFI"*"  19 of these bytes have no CFI"* ]] || report
  strip named.so
  tool --check named.so
  [[ $output == *" 0 without CFI"*"  19 of these bytes have no CFI"* ]] || report
}

# A part that several jump to looks like a function by itself when its rows tell
# that something begins there; what is left of its function is proven by nothing.
@test "--check analyses code as --analyze did" {
  analysed_library parts <<'END'
	.globl	f, g
	.type	f, @function
f:	xor	%eax, %eax
	ret
	.p2align 5
start:	test	%edi, %edi
	je	rest
	push	%rax
	call	stop@PLT
2:	jmp	2b
	.p2align 5
	.type	g, @function
g:	mov	%edi, %eax
	ret
	.p2align 5
rest:	inc	%esi
	ret
	.data
	.quad	start
END
  exits 0 --analyze --replace parts.so
  exits 0 --check parts.so
  [[ $output == *" 0 wrong"*" 0 without CFI"* ]] || report
  local before
  before=$(sha256sum <parts.so)
  exits 0 --analyze --replace=auto parts.so
  [ "$(sha256sum <parts.so)" = "$before" ] || report
}

@test "--analyze works without any CFI" {
  wrong_library
  sed '/cfi_/s/[^:]*\.cfi_.*//' wrong.s >bare.s
  "${CC:-cc}" -nostdlib -shared -o bare.so bare.s
  tool bare.so
  [[ $output != *"converted"* ]] || report
  exits 0 --analyze --stats bare.so
  [[ $output == *" from CFI 0 bytes, from code "* ]] || report
  exits 0 --check bare.so
}

@test "bytes from code that are left out are not taken from the CFI's" {
  analysed_library last <<'END'
	exported	f, g
f:	test	%edi, %edi
	jne	1f
	ret
1:	push	%rax
	call	h
g:	mov	%rdi, %rax
	ret
h:	jmp	h
END
  exits 0 --analyze --stats last.so
  [[ $output == *"left out: 1 place (return-address)"* ]] || report
  [[ $output == *"from CFI 0 bytes, from code 16 bytes (3 functions)"* ]] \
    || report
}

@test "a program runs as before with rows from its code" {
  wrong_library
  small_program small -fno-asynchronous-unwind-tables
  expected=$(./small)
  "$CFI2SFRAME" --analyze small
  [ "$(./small)" = "$expected" ]
  exits 0 --check small
}

# Of aarch64, with signed return addresses and without.
foreign_library ()
{
  needs aarch64-linux-gnu-as
  needs aarch64-linux-gnu-ld
  sed '/^#/d' "$srcdir"/tests/analysis/idioms/aarch64/"$1".s >"$1".s
  sed 's/^\([fg]\):/	exported	\1\n\1:/' -i "$1".s
  sed '/^	\.cfi_/d; s/^\(.*:\)	\.cfi_.*/\1/' "$1".s >bare.s
  for source in "$1" bare; do
    aarch64-linux-gnu-as -o "$source.o" "$macros" "$source.s"
    aarch64-linux-gnu-ld -shared -o "$source.so" "$source.o"
  done
  "$CFI2SFRAME" --lint -q bare.so 2>errors || [ $? -eq 1 ]
  ! grep -q "cannot analyse" errors || skip "$(cat errors)"
}

@test "rows from aarch64 code say the same as CFI" {
  for idiom in frame_record signed_return_address large_frame \
    vector_registers; do
    foreign_library $idiom
    "$CFI2SFRAME" --strict $idiom.so
    exits 0 --analyze --stats bare.so
    tool --compare $idiom.so bare.so
    [[ $output == *" 0 different"*" 0 only in A, 0 only in B"* ]] || report
    exits 0 --check bare.so
  done
}

@test "an aarch64 function with FP alone on the stack has rows in version 2" {
  foreign_library frame_pointer_alone
  tool --analyze --format=2 --stats bare.so
  [[ $output == *"code covered 16, left out 0 bytes"* ]] || report
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

@test "rows from code that a return address takes away are not counted" {
  analysed_library ends <<'END'
	exported	f
f:	test	%edi, %edi
	jne	1f
	ret
1:	push	%rbx
	call	abort@PLT
	exported	g
g:	sub	$24, %rsp
	add	$24, %rsp
	ret
END
  tool --analyze --stats ends.so
  [[ $output == *"left out: 1 place (return-address)"* ]] || report
  [[ $output == *"left out 1 bytes"*", from code 19 bytes (2 functions)"* ]] \
    || report
}

@test "--lint of an object says that it has to be linked" {
  echo 'int f (void) { return 0; }' >f.c
  cc -c f.c
  "$CFI2SFRAME" --lint f.o 2>errors && return 1
  grep -q "cannot analyse" errors && skip "$(cat errors)"
  [ "$(cat errors)" = "cfi2sframe: f.o: objects are not analysed: link them first" ]
}

# In every other folder all of them were skipped: the build's config.h tells
# whether there is a decoder, and that was looked for where one stood.
@test "tests of code idioms are not skipped for being run in another folder" {
  for script in idioms system; do
    run sh "$srcdir/tests/analysis/$script.sh"
    [ "$status" -ne 0 ] || report
    [[ $output == "Bail out! no config.h in "* ]] || report
    [[ $output != *SKIP* ]] || report
  done
}

# It failed, and what has CFI was not converted either.
@test "--analyze of a machine whose code is not analysed converts the CFI" {
  needs s390x-linux-gnu-gcc
  CC=s390x-linux-gnu-gcc small_program f
  cp f plain
  "$CFI2SFRAME" -o expected plain
  exits 0 -v --analyze f
  [[ $output == *"note: code of this machine is not analysed"* ]] || report
  [[ $output == *"from code 0 bytes"* ]] || report
  cmp f expected
  exits 0 --check f
  cp plain f
  refused f --verify-code
  # Without CFI there is nothing.
  s390x-linux-gnu-strip -R .eh_frame -R .eh_frame_hdr f
  skipped f --analyze
}

@test "--analyze and --verify-code of objects are wrong usage" {
  small_program f
  local option
  for option in --analyze --verify-code; do
    exits 2 --relocatable $option f
    [[ $stderr == *"$option is for linked files, not with --relocatable"* ]] || report
  done
}
