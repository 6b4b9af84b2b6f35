#!/usr/bin/env bats
# Compact unwind, and comparing formats.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

source_dir ()
{
  echo "$BATS_TEST_DIRNAME/../.."
}

write_section ()
{
  convert --format=compact-unwind --section-only="$2" "$1"
}

# A dump without the explanations.
plain ()
{
  sed 's/ ; .*//'
}

# What llvm-objdump says of the raw section $1 for machine $2.
independent_dump ()
{
  python3 "$(source_dir)/tests/compact-unwind/macho.py" "$1" wrapped.o "$2" \
    && "$objdump" --macho --unwind-info wrapped.o
}

needs_objdump ()
{
  needs python3
  objdump=$(command -v llvm-objdump-14 || command -v llvm-objdump || true)
  [ -n "$objdump" ] || skip "llvm-objdump not found"
}

@test "compact unwind is written as a section only and never injected" {
  small_program
  local before
  before=$(checksum small)
  write_section small out
  [ "$(checksum small)" = "$before" ]
  [ "$(peek out 0 4)" -eq 1 ]
  only_files small small.c out
  wrong_usage --format=compact-unwind small
  wrong_usage --format=compact-unwind -o other small
  wrong_usage --format=compact-unwind --check small
  wrong_usage --format=compact-unwind --compare-formats small
  wrong_usage --format=compact-unwind:mips --dump out
  wrong_usage --format=compact-unwind:amd64 --section-only=other small
  wrong_usage --format=compact-unwind --gnu --section-only=other small
  wrong_usage --compare-formats -o other small
  [ "$(checksum small)" = "$before" ]
  only_files small small.c out
}

@test "compact unwind with --dry-run writes nothing" {
  small_program
  convert --format=compact-unwind --section-only=out -n small
  refused small --format=compact-unwind --section-only=small -n
  only_files small small.c
}

@test "--dump explains a bare section when told the machine" {
  small_program
  write_section small out
  "$CFI2SFRAME" --dump --format=compact-unwind out >bare
  "$CFI2SFRAME" --dump --format=compact-unwind:amd64 out >explained
  "$CFI2SFRAME" --dump --format=compact-unwind small >made
  [ "$(grep -c ' ; ' bare)" -eq 0 ]
  case $(uname -m) in
    x86_64) diff explained made; grep -q ' ; frame' explained ;;
  esac
  plain <explained | diff bare -
  plain <made | diff bare -
}

@test "llvm-objdump prints the same as --dump" {
  needs_objdump
  [ "$(uname -m)" = x86_64 ] || skip "the files here are not for x86-64"
  local file tried=0
  for file in "$(program_file bash)" "$(program_file git || true)" \
    "$(library_file libc.so.6)" "$(library_file libstdc++.so.6)"; do
    [ -f "$file" ] || continue
    write_section "$file" out
    independent_dump out amd64 >theirs
    "$CFI2SFRAME" --dump --format=compact-unwind out >ours
    # LLVM 19, unlike 14, says nothing of pages without encodings.
    "$objdump" --version | grep -q 'LLVM version 1[4-8]\.' \
      || sed -i '/Page encodings: (count = 0)/d' ours
    [ "$(wc -l <ours)" -gt 100 ]
    diff theirs ours >differences || { head differences; return 1; }
    tried=$((tried + 1))
  done
  [ "$tried" -gt 1 ]
}

@test "llvm-objdump prints the same for aarch64" {
  needs_objdump
  needs aarch64-linux-gnu-gcc
  small_program small || true
  aarch64-linux-gnu-gcc -O2 -o arm small.c
  write_section arm out
  independent_dump out aarch64 >theirs
  "$CFI2SFRAME" --dump --format=compact-unwind out | diff theirs -
  "$CFI2SFRAME" --dump --format=compact-unwind arm | grep -q ' ; '
}

@test "compact unwind agrees with readelf's CFI at every call objdump finds" {
  needs python3 objdump readelf
  [ "$(uname -m)" = x86_64 ] || skip "the files here are not for x86-64"
  small_program
  local file
  for file in "$(program_file bash)" small; do
    python3 "$(source_dir)/tests/compact-unwind/call_sites.py" "$CFI2SFRAME" \
      "$(realpath "$file")"
  done
}

@test "compact unwind agrees at every call of an aarch64 program" {
  needs python3 readelf aarch64-linux-gnu-gcc aarch64-linux-gnu-objdump
  local file
  file=$(find /usr/aarch64-linux-gnu/lib -name 'libc.so.6' 2>/dev/null)
  [ -n "$file" ] || skip "no aarch64 libc"
  # That of Debian 13 does, and there is no compact form for it.
  readelf --debug-dump=frames "$file" 2>/dev/null >frames
  ! grep -qE 'negate_ra_state|GNU_window_save' frames \
    || skip "its functions sign return addresses"
  python3 "$(source_dir)/tests/compact-unwind/call_sites.py" "$CFI2SFRAME" "$file"
}

@test "damaged bare sections are refused" {
  small_program
  write_section small out
  local size n
  size=$(stat -c %s out)
  for n in 0 3 4 27 28 40 $((size / 2)) $((size - 1)); do
    head -c "$n" out >cut
    exits 1 --dump --format=compact-unwind cut
    [ -z "$output" ] || report
    [[ $stderr == "cfi2sframe: cut: "* ]] || report
  done
  exits 1 --dump --format=compact-unwind .
  exits 1 --dump --format=compact-unwind missing
}

@test "files without compact unwind are refused" {
  small_program
  "${CC:-cc}" -c small.c
  refused small.o --format=compact-unwind --section-only=out
  echo text >text
  refused text --format=compact-unwind --section-only=out
  needs s390x-linux-gnu-gcc
  s390x-linux-gnu-gcc -o s390 small.c
  refused s390 --format=compact-unwind --section-only=out
}

# Offset of the chosen value in a JSON line of --compare-formats.
value ()
{
  python3 -c '
import json, sys
value = json.loads(sys.stdin.readline())
for key in sys.argv[1].split("/"):
    value = value[key]
print(value)' "$1"
}

@test "--compare-formats tells the sizes that --section-only writes" {
  needs python3
  local file options name
  for file in "$(program_file bash)" "$(library_file libc.so.6)"; do
    "$CFI2SFRAME" --compare-formats --stats=json "$file" >json
    for options in v1:--format=1 v2:--format=2 v3:--format=3 \
      v3-no-share:--no-share v3-compact:--compact \
      compact-unwind:--format=compact-unwind; do
      name=${options%%:*}
      convert "${options#*:}" --section-only=out "$file"
      [ "$(value "formats/$name/bytes" <json)" -eq "$(stat -c %s out)" ]
      # Every function is described or has a reason.
      python3 -c '
import json, sys
file = json.loads(sys.stdin.readline())
format = file["formats"][sys.argv[1]]
assert format["asynchronous"] <= format["synchronous"]
assert (format["synchronous"] + sum(format["left_out"].values())
        == file["cfi_functions"])' "$name" <json
    done
  done
}

@test "--compare-formats changes nothing and prints a table" {
  small_program
  local before
  before=$(checksum small)
  exits 0 --compare-formats small
  [[ $output == "small: "* ]] || report
  [[ $output == *"SFrame V3 --compact"* ]] || report
  [[ $output == *"compact unwind"* ]] || report
  [[ $output != *"Sum of"* ]] || report
  [ "$(checksum small)" = "$before" ]
  only_files small small.c
  exits 0 -q --compare-formats small
  silent
}

@test "--compare-formats sums over files and trees, whatever the jobs" {
  needs python3
  mkdir tree
  small_program tree/one
  small_program tree/two -Os
  echo text >tree/text
  exits 0 --compare-formats tree/one tree/two
  [[ $output == *"Sum of 2 files"* ]] || report
  "$CFI2SFRAME" --compare-formats --stats=json -r -j1 tree \
    | sed 's/"seconds":[0-9.e-]*//' >one
  "$CFI2SFRAME" --compare-formats --stats=json -r -j4 tree \
    | sed 's/"seconds":[0-9.e-]*//' >four
  diff one four
  "$CFI2SFRAME" --compare-formats --stats=json -r tree | python3 -c '
import json, sys
lines = [json.loads(line) for line in sys.stdin]
assert len(lines) == 3
*files, total = lines
total = total["total"]
assert total["compared"] == 2
for key in "cfi_functions", "eh_frame_bytes", "eh_frame_hdr_bytes":
    assert total[key] == sum(file[key] for file in files) > 0
for name, format in total["formats"].items():
    for key in "bytes", "synchronous", "asynchronous":
        assert format[key] == sum(file["formats"][name][key]
                                  for file in files)'
}

@test "--compare-formats reports files it cannot compare" {
  small_program
  echo text >text
  exits 1 --compare-formats text small
  [[ $stderr == "cfi2sframe: text: "* ]] || report
  [[ $output == *"small: "* ]] || report
}

@test "no function gets more rows than our reader accepts" {
  # The row after the last nop is number 262145.
  small_program many -x none -x assembler - <<'END'
	.globl many
	.type many, @function
many:	.cfi_startproc
	.rept 131072
	nop
	.cfi_def_cfa_offset 32
	nop
	.cfi_def_cfa_offset 48
	.endr
	nop
	.cfi_endproc
	.size many, . - many
	.section .note.GNU-stack,"",@progbits
END
  local option
  for option in --no-share --gnu; do
    convert "$option" --format=2 -o out many
    tool --check out
    [[ $output == *", 0 wrong, "* ]] || report
  done
}
