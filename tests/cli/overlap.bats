#!/usr/bin/env bats
# FDEs that overlap: everything that walks over them must agree.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# An FDE for SIZE bytes from LABEL on.
fde ()
{
  cat <<END
	.long fde_end_$3-fde_$3
fde_$3:	.long fde_$3-cie
	.long $1-.
	.long $2
	.byte 0
	.balign 8
fde_end_$3:
END
}

# The second FDE overlaps the first one, the third one only the second.
overlapping_source ()
{
  cat <<END
	.text
	.globl _start
_start:	.skip 0x10,0x90
second:	.skip 0x20,0x90
third:	.skip 0x20,0x90
fourth:	.skip 0x10,0x90
	.section .eh_frame,"a",@progbits
cie:	.long cie_end-cie_id
cie_id:	.long 0
	.byte 1
	.asciz "zR"
	.uleb128 1
	.sleb128 -8
	.byte 16
	.uleb128 1
	.byte 0x1b
	.byte 0x0c,7,8
	.byte 0x90,1
	.balign 8
cie_end:
END
  fde _start 0x20 1
  fde second 0x28 2
  fde third 0x20 3
  fde fourth 0x10 4
}

make_files ()
{
  needs as ld jq
  overlapping_source >overlap.s
  as -o overlap.o overlap.s
  ld -o overlap overlap.o 2>/dev/null || skip "ld refuses overlapping FDEs"
}

@test "all ways to describe a file leave out the same overlapping FDEs" {
  make_files
  tool -n --stats=json overlap
  [ "$(jq .left_out.overlap <<<"$output")" -eq 2 ] || report
  [ "$(jq .functions_covered <<<"$output")" -eq 2 ] || report
  tool --compare-formats --stats=json overlap
  [ "$(jq .formats.v3.left_out.overlap <<<"$output")" -eq 2 ] || report
  tool -n --relocatable --stats=json overlap.o
  [ "$(jq .left_out.overlap <<<"$output")" -eq 2 ] || report
  [ "$(jq .functions_covered <<<"$output")" -eq 2 ] || report
}

@test "--check holds rows of overlapping FDEs for wrong where the conversion has none" {
  make_files
  tool -o converted overlap
  tool --check converted
  [ "$status" -eq 0 ] || report
  tool --relocatable -o converted.o overlap.o
  tool --check converted.o
  [ "$status" -eq 0 ] || report
}
