#!/usr/bin/env bats
# Return addresses: readers look them up as they are, so rows reach into the
# padding behind a function, and stop in front of one that follows a call.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# linked_code [PREFIX]: link the code on standard input, which is for x86-64, or
# for the machine that PREFIX of the tools' names has.
linked_code ()
{
  local options=()
  if [ $# -eq 0 ]; then
    [ "$(uname -m)" = x86_64 ] || skip "an x86-64 program"
    options=(--no-ld-generated-unwind-info)
  fi
  needs "${1-}as" "${1-}ld"
  cat >code.s
  "${1-}as" -o code.o code.s
  "${1-}ld" "${options[@]}" -o linked code.o
  nm linked >symbols
}

# Functions of x86-64: first ends in a call and has 7 bytes of padding; second
# does and is followed directly by third, whose rules are others; fourth,
# behind third, begins as third ends.  fifth's rows change behind what looks
# like a call but is the immediate of a mov.
make_file ()
{
  linked_code <<'END'
        .globl  _start
        .text
        .p2align 4
_start: .cfi_startproc
        .cfi_undefined rip
        ud2
        .cfi_endproc
        .p2align 4
first:  .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        call    _start
        .cfi_endproc
        .p2align 4
second: .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        call    _start
        .cfi_endproc
third:  .cfi_startproc
        ret
        call    _start
        .cfi_endproc
fourth: .cfi_startproc
        ret
        .cfi_endproc
        .p2align 4
fifth:  .cfi_startproc
        mov     $0xd0ff0000, %eax
        .cfi_def_cfa_offset 16
        ret
        .cfi_endproc
        .p2align 4
END
}

address ()
{
  local at name
  while read -r at _ name; do
    if [ "$name" = "$1" ]; then
      echo "0x$at"
    fi
  done <symbols
}

# How many rows a reader finds in $3 at the symbol $1 plus $2.
rows_at ()
{
  local pc=$(($(address "$1") + $2)) dump n=0
  text_of dump "$CFI2SFRAME" --dump "$3"
  [[ $dump == *"pc = "* ]] || return 1
  while [[ $dump =~ "pc = "(0x[0-9a-f]+)", size = "([0-9]+) ]]; do
    dump=${dump#*"${BASH_REMATCH[0]}"}
    [ $((pc >= BASH_REMATCH[1] && pc < BASH_REMATCH[1] + BASH_REMATCH[2])) -eq 0 ] \
      || n=$((n + 1))
  done
  echo $n
}

has_row ()
{
  [ "$(rows_at "$@")" -eq 1 ]
}

has_no_row ()
{
  [ "$(rows_at "$@")" -eq 0 ]
}

@test "return address: rows reach into the padding behind a function" {
  make_file
  "$CFI2SFRAME" -o out linked
  has_row first 9 out   # behind the call
  has_row first 15 out  # its alignment
  exits 0 --check out
}

@test "return address: --check counts what is left out in each function" {
  linked_code <<'END'
        .globl  _start
        .text
_start: .cfi_startproc
        .cfi_undefined rip
        ud2
        .cfi_endproc
a:      .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        call    _start
        .cfi_endproc
b:      .cfi_startproc
        ret
        nop
        nop
        .cfi_endproc
c:      .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        call    _start
        .cfi_endproc
d:      .cfi_startproc
        ret
        .cfi_endproc
END
  "$CFI2SFRAME" -o out linked
  exits 0 --check -v out
  [[ $output == *" 0 without SFrame data, "*"left out: 2 bytes (return-address)"* ]] \
    || report
}

# spoil_size FILE SYMBOL SIZE: have the FDE of SYMBOL, of 16 bytes, say SIZE.
spoil_size ()
{
  local start at offset
  start=$(nm "$1" | awk -v name="$2" '$3 == name { print $1 }')
  at=$(readelf -wf "$1" 2>/dev/null \
    | sed -n "s/^\([0-9a-f]*\) .* FDE .*pc=$start\.\..*/\1/p")
  read -r offset _ < <(section "$1" .eh_frame)
  at=$((offset + 16#$at + 12))
  [ "$(peek "$1" $at 4)" -eq 16 ] || report
  poke "$1" $at "$(printf %02x "$3")"
}

# The row that is converted says what holds behind the call; afterwards the CFI
# calls that padding.
@test "return address: --check compares the rows in padding" {
  needs readelf
  linked_code <<'END'
        .globl  _start
        .text
_start: .cfi_startproc
        .cfi_undefined rip
        ud2
        .cfi_endproc
        .p2align 4
first:  .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        call    _start
        .cfi_def_cfa_offset 40
        .p2align 4
        .cfi_endproc
second: .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        call    _start
        .p2align 4
        .cfi_endproc
third:  .cfi_startproc
        ret
        .cfi_endproc
END
  "$CFI2SFRAME" --return-addresses=no -o out linked
  exits 0 --check out
  spoil_size out second 9
  exits 0 --check out
  spoil_size out first 9
  exits 1 --check out
  [[ $output$stderr == *": CFA is rsp+32 in .eh_frame, rsp+40 in .sframe"* ]] \
    || report
}

# The first byte behind it may be a return address that no call made: a
# coroutine's first function, as makecontext sets it up.  Readers look up the
# address before it.
@test "return address: padding behind a function that ends in no call has no row" {
  make_file
  "$CFI2SFRAME" -o out linked
  has_row fifth 5 out
  has_no_row fifth 6 out
  has_no_row fifth 15 out
  has_row _start 0 out
  has_no_row _start 2 out
  exits 0 --check out
}

@test "return address: a function behind a call begins one byte later" {
  make_file
  local options
  for options in --format=3 --format=2 --format=1 --compact; do
    "$CFI2SFRAME" $options -o out linked
    has_no_row third 0 out
    has_row third 1 out
    has_row second 8 out
    exits 0 --check out
    tool $options --stats=json -o out linked
    [[ $output == *'"return_addresses":1,'* ]] || report
    [[ $output == *'"bytes_left_out":'[13],* ]] || report
  done
}

@test "return address: --check counts the byte apart from missing rows" {
  make_file
  "$CFI2SFRAME" -o out linked
  exits 0 --check out
  [[ $output == *" 0 wrong, 0 without SFrame data, 0 without CFI"* ]] || report
  [[ $output == *"left out: 1 byte (return-address)"* ]] || report
  # In a section that has a row there, and misses others.
  "$CFI2SFRAME" --gnu --format=2 -o out linked
  exits 0 --check out
  [[ $output != *return-address* ]] || report
}

@test "return address: the rows stay with --return-addresses=no" {
  make_file
  local layout
  for layout in "" --compact; do
    "$CFI2SFRAME" $layout --return-addresses=no -o out linked
    has_row third 0 out
    has_row first 9 out # padding is no question of that
    exits 0 --check out
    [[ $output != *return-address* ]] || report
  done
  "$CFI2SFRAME" --return-addresses=no --return-addresses=yes -o last linked
  "$CFI2SFRAME" -o default linked
  cmp last default
  exits 2 --return-addresses=maybe linked
}

@test "return address: equal rules, or no call: nothing is left out" {
  make_file
  "$CFI2SFRAME" -o out linked
  has_row fourth 0 out
  has_row fifth 5 out
}

# call *(%rax), of two bytes, was not seen; and without Zydis no call was.
@test "return address: all forms of calls are known in every build" {
  linked_code <<'END'
        .macro  behind call:vararg
        .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        \call
        .cfi_endproc
        .cfi_startproc
        ret
        .cfi_endproc
        .endm
        .globl  _start
_start: behind  call _start
        behind  call *%rax
        behind  call *%r12
        .irp    to, rax, rcx, rdx, rbx, rsi, rdi, r8, r15, rsp, rbp, r12, r13
        behind  call *(%\to)
        behind  call *-24(%\to)
        behind  call *256(%\to)
        behind  notrack call *(%\to,%rbx,8)
        .endr
        behind  call *pointer(%rip)
        behind  call *256(,%rax,8)
        behind  call *pointer
        behind  addr32 call *(%eax)
        behind  data16 rex.w call _start
        behind  lcall *(%rax)
        behind  jmp *(%rax)
        behind  push (%rax)
        .data
pointer: .quad  _start
END
  tool --stats=json -o out linked
  [[ $output == *'"return_addresses":57,'* ]] || report
}

# The second function of a program does not execute it again.  With --no-share
# each one has rows of its own making.
@test "return address: functions with equal rules have places of their own" {
  linked_code <<'END'
        .macro  function first:req, second:req, last:req
        .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        \first
        .cfi_def_cfa_offset 48
        nop
        \second
        .cfi_def_cfa_offset 64
        ret
        \last
        .cfi_endproc
        .endm
        .globl  _start
_start: function "mov $1, %eax", "mov $2, %eax", "mov $3, %eax"
        function "call _start",  "mov $2, %eax", "mov $3, %eax"
        function "mov $1, %eax", "call _start",  "call _start"
        function "call _start",  "call _start",  "call _start"
        .p2align 6
        function "mov $1, %eax", "mov $2, %eax", "mov $3, %eax"
END
  local layout one
  for layout in "" --format=2 --compact "--compact --format=2"; do
    tool $layout --stats=json -o shared linked
    [[ $output == *'"return_addresses":5,'* ]] || report
    one=${output%,\"seconds*}
    tool $layout --no-share --stats=json -o single linked
    [[ $output == *"${one#*\"bytes_covered}"* ]] || report
    exits 0 --compare shared single
    exits 0 --check shared
  done
}

# A reader of the kernel's (unwind_user_next_common) or of glibc's kind stops
# where the return address is still in its register, but in the topmost frame.
@test "return address: a row that leaves the address in its register stays" {
  linked_code aarch64-linux-gnu- <<'END'
        .globl  _start
        .text
_start: .cfi_startproc
        .cfi_undefined x30
        brk     #0
        .cfi_endproc
        .macro  calls
        .cfi_def_cfa_offset 16
        .cfi_offset 29, -16
        .cfi_offset 30, -8
        bl      _start
        .endm
first:  .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        calls
        .cfi_endproc
third:  .cfi_startproc
        ret
        calls
        .cfi_def_cfa_offset 0
        .cfi_restore 29
        .cfi_restore 30
        ret
        calls
        .cfi_endproc
cold:   .cfi_startproc
        .cfi_def_cfa_offset 64
        .cfi_offset 29, -64
        .cfi_offset 30, -56
        nop
        calls
        .cfi_def_cfa_offset 32
        nop
        .cfi_endproc
END
  "$CFI2SFRAME" -o out linked
  has_row third 0 out
  has_row third 8 out
  has_no_row cold 0 out
  has_row cold 4 out
  has_no_row cold 8 out
  exits 0 --check out
  [[ $output == *" 0 without SFrame data"*"left out: 8 bytes"* ]] || report
}

# --compare-formats follows registers that SFrame does not know, too.
@test "return address: what another register does behind a call is no matter" {
  needs python3
  linked_code <<'END'
        .globl  _start
_start: .cfi_startproc
        push    %rbx
        .cfi_def_cfa_offset 16
        call    _start
        .cfi_offset rbx, -16
        call    _start
        .cfi_restore rbx
        ret
        .cfi_endproc
END
  "$CFI2SFRAME" --compare-formats --stats=json linked >json
  "$CFI2SFRAME" --section-only=section linked
  python3 -c '
import json, os
formats = json.loads(open("json").readline())["formats"]
assert formats["v3"]["bytes"] == os.path.getsize("section"), formats'
}

# Rows that were cut lost what holds for the whole function.
@test "return address: a signal frame behind a call stays one" {
  linked_code <<'END'
        .globl  _start
_start: .cfi_startproc
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        call    _start
        .cfi_endproc
third:  .cfi_startproc
        .cfi_signal_frame
        nop
        nop
        ret
        .cfi_endproc
END
  "$CFI2SFRAME" -o out linked
  has_no_row third 0 out
  has_row third 1 out
  "$CFI2SFRAME" --dump out | grep -q 'attr = "S"'
}

@test "return address: the key of a function behind a call stays what it was" {
  linked_code aarch64-linux-gnu- <<'END'
        .globl  _start
_start: .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset 29, -16
        .cfi_offset 30, -8
        bl      _start
        .cfi_endproc
cold:   .cfi_startproc
        .cfi_b_key_frame
        .cfi_negate_ra_state
        .cfi_def_cfa_offset 64
        .cfi_offset 29, -64
        .cfi_offset 30, -56
        nop
        nop
        .cfi_endproc
END
  "$CFI2SFRAME" -o out linked
  has_no_row cold 0 out
  has_row cold 4 out
  "$CFI2SFRAME" --dump out | grep -qi 'pauth = .*B'
}

# An operand that leads to the first byte of a function counts as a call of it.
@test "return address: what looks like the call of a function is one" {
  linked_code <<'END'
        .globl  _start
        .macro  like_call target
        .byte   0x48, 0xb8, 0, 0, 0, 0xe8
        .long   \target - . - 4
        .cfi_def_cfa_offset 16
        ret
        .endm
_start: .cfi_startproc
        nop
        nop
        .cfi_endproc
sixth:  .cfi_startproc
        like_call _start
        .cfi_endproc
last:   .cfi_startproc
        like_call _start+1
        .cfi_endproc
END
  "$CFI2SFRAME" -o out linked
  has_no_row sixth 10 out
  has_row last 10 out
}

# Functions with one call-frame program share their rows, but not what stands
# in front of them, in them and behind them.
@test "return address: of functions with equal programs each has its own places" {
  linked_code <<'END'
        .globl  _start
        .macro  function name
        .p2align 4
\name: .cfi_startproc
        .endm
        .macro  calls name
        function \name
        sub     $24, %rsp
        .cfi_def_cfa_offset 32
        call    _start
        .cfi_endproc
        .endm
_start: .cfi_startproc
        .cfi_undefined rip
        ud2
        .cfi_endproc
        function leaf
        ret
        .cfi_endproc
        function operand
        mov     $1, %eax
        .cfi_def_cfa_offset 16
        ret
        .cfi_endproc
        calls   first
        calls   again
behind: .cfi_startproc
        ret
        .cfi_endproc
        function inside
        call    _start
        .cfi_def_cfa_offset 16
        ret
        .cfi_endproc
        function unknown
        .byte   0x06
        .cfi_def_cfa_offset 24
        mov     $0xd0ff0000, %eax
        .cfi_endproc
follows: .cfi_startproc
        ret
        .cfi_endproc
        calls   padded
        .p2align 4
END
  "$CFI2SFRAME" -o out linked
  has_row leaf 0 out
  has_no_row behind 0 out
  has_row operand 5 out
  has_no_row inside 5 out
  has_row follows 0 out
  has_row first 15 out
  has_row padded 15 out
  exits 0 --check out
}

# The last instruction of the program says what holds behind 3 bytes: that is
# in the larger function, and behind the end of the smaller one.
@test "return address: padding has the row of the call where an equal program goes on" {
  linked_code <<'END'
        .globl  _start
        .macro  function name, body
        .p2align 4
\name: .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        \body
        .cfi_def_cfa_offset 8
        .endm
        function _start, "xchg %ax, %ax"
        ret
        .cfi_endproc
        function ends, "call *%rax"
        .cfi_endproc
        function again, "xchg %ax, %ax"
        ret
        .cfi_endproc
END
  "$CFI2SFRAME" -o out linked
  has_row _start 3 out
  has_row ends 2 out
  has_row ends 3 out
  has_row ends 15 out
  # At the start of each, and at the end of the larger ones.
  [ "$("$CFI2SFRAME" --dump out | grep -c 'sp+8 ')" -eq 5 ]
  exits 0 --check out
}

# The second FDE lies in the first one, which ends in a call, and says the same:
# of its code nothing is left, and the call is still in front of third.
@test "return address: the call of a function in which another FDE lies counts" {
  linked_code < <(
    cat <<'END'
        .text
        .globl  _start
_start: .skip   4, 0x90
        sub     $24, %rsp
inner:  nop
        call    _start
third:  ret
        .skip   15, 0x90
END
    raw_cie
    raw_fde _start third-_start ".byte 0x48, 0x0e, 32"
    raw_fde inner third-inner ".byte 0x0e, 32"
    raw_fde third 16 ".byte 0"
  )
  "$CFI2SFRAME" -o out linked
  has_row _start 13 out
  has_no_row third 0 out
  has_row third 1 out
  exits 0 --check out
}

@test "return address: objects and --gnu are as GNU's" {
  make_file
  "$CFI2SFRAME" --gnu -o out linked
  has_row third 0 out
  has_no_row first 9 out
  "$CFI2SFRAME" --relocatable -o out.o code.o
  "$CFI2SFRAME" --relocatable --gnu -o gnu.o code.o
  exits 0 --compare out.o gnu.o
}

@test "a program that was converted and then stripped passes --check" {
  needs cc strip
  cat >exported.c <<'END'
int main (void) { return 0; }
END
  # The start-up code has padding that only symbols tell from code.
  cc -rdynamic -o f exported.c
  convert f
  exits 0 --check f
  strip f
  exits 0 --check -v f
  [[ $output != *"have no CFI"* ]] || report
}
