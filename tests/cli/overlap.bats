#!/usr/bin/env bats
# FDEs that overlap: everything that walks over them must agree.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# The second FDE overlaps the first one and contradicts it, the third one only
# the second.  $1 is the third one's CFA.
overlapping_source ()
{
  cat <<END
	.text
	.globl _start
_start:	.skip 0x10,0x90
second:	.skip 0x20,0x90
third:	.skip 0x20,0x90
fourth:	.skip 0x10,0x90
END
  raw_cie
  raw_fde _start 0x20 ".byte 0x0e, 8"
  raw_fde second 0x28 ".byte 0x0e, 64"
  raw_fde third 0x20 ".byte 0x0e, $1"
  raw_fde fourth 0x10 ".byte 0x0e, 8"
}

# The rows of file $1: start and CFA.
rows ()
{
  "$CFI2SFRAME" --dump "$1" | awk '$2 ~ /^sp/ { print substr ($1, 15), $2 }'
}

# Link with $1 and convert.
make_files ()
{
  needs as "$1" jq
  overlapping_source "${2-8}" >overlap.s
  as -o overlap.o overlap.s
  "$1" -Ttext=0x401000 -o overlap overlap.o 2>/dev/null \
    || "$1" -o overlap overlap.o || skip "$1 refuses overlapping FDEs"
}

all_agree ()
{
  tool -n --stats=json overlap
  [ "$(jq .left_out.overlap <<<"$output")" -eq "$1" ] || report
  tool --compare-formats --stats=json overlap
  [ "$(jq .formats.v3.left_out.overlap <<<"$output")" -eq "$1" ] || report
  tool -n --relocatable --stats=json overlap.o
  [ "$(jq .left_out.overlap <<<"$output")" -eq "$1" ] || report
  tool -o converted overlap
  exits 0 --check converted
  tool --relocatable -o converted.o overlap.o
  exits 0 --check converted.o
}

@test "all ways to describe a file leave out the same of overlapping FDEs" {
  make_files ld
  all_agree 3
}

@test "overlapping FDEs that contradict each other have no rows there, linked by ld.lld" {
  make_files ld.lld
  all_agree 3
  # 0 to 10 and from 20 on are described, 10 to 20 and 30 to 38 are not.
  [ "$(rows converted | wc -l)" -eq 4 ] || { rows converted; false; }
}

@test "overlapping FDEs that say the same keep their rows" {
  make_files ld 64
  all_agree 2
}

# Equal programs are looked up instead of executed, which is no use where one
# goes on behind the end of its function: there a call of other code may end.
@test "a program whose function is shorter than the program says ends with it" {
  {
    printf '\t.globl _start\n_start:\n'
    local size
    for size in 16 9 8 7 5 4 3; do
      cat <<END
	.cfi_startproc
	.cfi_escape 0x44, 0x0e, 16, 0x44, 0x0e, 24
	.fill $size, 1, 0x90
	.cfi_endproc
	call _start
	.balign 16, 0xcc
END
    done
  } >short.s
  "${CC:-cc}" -nostdlib -static -o short short.s
  convert short
  exits 0 --check short
  [[ $output == *": 7 functions checked: 52 bytes of code equal, 0 wrong, 0 without SFrame"* ]] \
    || report
}

# What DW_CFA_set_loc says depends on where the FDE is.
@test "equal programs with DW_CFA_set_loc say different things" {
  {
    cat <<'END'
	.text
	.globl _start
_start:	.skip 40, 0x90
second:	.skip 40, 0x90
END
    raw_cie
    local name
    for name in _start second; do
      raw_fde $name 40 ".byte 1
place_$name:
	.long _start+24-place__start
	.byte 0x0e,16"
    done
  } >located.s
  "${CC:-cc}" -nostdlib -static -o located located.s
  convert located
  exits 0 --check located
  [[ $output == *": 2 functions checked: 80 bytes of code equal, 0 wrong, 0 without SFrame"* ]] \
    || report
  [ "$(rows located | grep -c sp+16)" -eq 2 ] || report
}

# The last row of the shorter one is sure for its only byte; of the longer one's
# the rest is not.
@test "a longer function with an equal program has no row where FP may be stale" {
  [ "$(uname -m)" = x86_64 ] || skip "an x86-64 program"
  cat >stale.s <<'EOF'
	.macro realigned name, behind
	.globl \name
	.type \name, @function
\name:	.cfi_startproc
	.cfi_def_cfa 10, 0
	.skip 4, 0x90
	.cfi_escape 0x10, 6, 2, 0x76, 0
	.cfi_escape 0xf, 3, 0x76, 0x78, 6
	.skip 16, 0x90
	.cfi_def_cfa 10, 0
	.skip \behind, 0x90
	.cfi_endproc
	.size \name, . - \name
	.endm
	.text
	realigned short, 1
	realigned long, 10
EOF
  "${CC:-cc}" -nostdlib -shared -o stale.so stale.s
  for options in "" --compact --no-share; do
    # shellcheck disable=SC2086
    exits 0 -vv --replace $options stale.so
    [[ $output == *"1 of 2 functions"*"left out: 1 (FP found by FP, whose"* ]] \
      || report
  done
}
