#!/usr/bin/env bats
# What --lint and --verify-code print, and which rows are left out for a finding.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load analysed

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

@test "--lint changes nothing and takes no output file" {
  wrong_library
  before=$(checksum wrong.so)
  run "$CFI2SFRAME" --lint wrong.so
  [ "$(checksum wrong.so)" = "$before" ]
  exits 2 --lint -o out wrong.so
}

@test "--lint of an object says that it has to be linked" {
  echo 'int f (void) { return 0; }' >f.c
  cc -c f.c
  "$CFI2SFRAME" --lint f.o 2>errors && return 1
  grep -q "cannot analyse" errors && skip "$(cat errors)"
  [ "$(cat errors)" = "cfi2sframe: f.o: objects are not analysed: link them first" ]
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
