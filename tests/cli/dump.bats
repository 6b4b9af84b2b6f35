#!/usr/bin/env bats
# --dump against GNU readelf: two readers, the same rows.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# Only the rows and function lines, in one spelling.
rows ()
{
  grep -E 'func idx|^ *[0-9a-f]{16} ' | sed 's/[[:space:]]\{1,\}/ /g; s/ $//'
}

# readelf knows versions up to its own; 2.40 has V1, 2.41 to 2.44 V2 without
# the flag for PC-relative starts.
readelf_reads ()
{
  readelf --sframe=.sframe "$1" 2>&1 | grep -q 'func idx'
}

same_rows ()
{
  "$CFI2SFRAME" --dump "$1" | rows >ours
  readelf --sframe=.sframe "$1" | rows >theirs
  [ -s ours ]
  diff theirs ours
}

@test "readelf prints the same rows as --dump for a small program" {
  small_program
  local format tried=0
  for format in 1 2.0 2 3; do
    convert --format=$format -o out small
    readelf_reads out || continue
    same_rows out
    tried=$((tried + 1))
  done
  [ "$tried" -gt 0 ] || skip "this readelf reads no version of SFrame we write"
}

@test "readelf prints the same rows as --dump for real files" {
  local name file format tried=0
  for name in bash python3 perl libc.so.6 libstdc++.so.6; do
    case $name in
      lib*) file=$(library_file $name) ;;
      *) file=$(program_file $name || true) ;;
    esac
    [ -f "$file" ] || continue
    for format in 1 2.0 2 3; do
      convert --format=$format -o out "$file"
      readelf_reads out || continue
      same_rows out
      tried=$((tried + 1))
    done
  done
  [ "$tried" -gt 0 ] || skip "this readelf reads no version of SFrame we write"
}

@test "objects of GNU as are dumped, and as readelf 2.40 prints them" {
  local object dumped=0
  for object in "$srcdir"/tests/data/gnu/*/*/*.o; do
    exits 0 --dump "$object"
    [[ $output == *"func idx [0]"* ]] || { echo "$object"; report; }
    dumped=$((dumped + 1))
  done
  [ "$dumped" -gt 80 ]
  [[ $(readelf --version) == *" 2.40"* ]] || return 0
  for object in "$srcdir"/tests/data/gnu/v1-binutils-2.40/*/*.o; do
    "$CFI2SFRAME" --dump "$object" >ours
    LC_ALL=C readelf --sframe "$object" >theirs
    diff theirs ours
  done
}
