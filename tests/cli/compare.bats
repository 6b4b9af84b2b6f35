#!/usr/bin/env bats
# --compare A B.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

@test "a program converted in two versions says the same" {
  small_program
  cp small v1
  cp small v3
  "$CFI2SFRAME" --format=2 v1
  "$CFI2SFRAME" --format=3 v3
  tool --compare v1 v3
  # V3 alone describes _start, whose return address is undefined.
  [[ $output == *" 0 different, 0 only in A, "* ]] || report
  exits 0 --compare v3 v3
  [[ $output == *" 0 different, 0 only in A, 0 only in B, 0 known defects"* ]]
  tool -q --compare v3 v3
  silent
}

@test "all layouts of a program say the same" {
  copy "$(command -v bash)" program
  for layout in default --no-split --no-share --compact "--compact --no-split"
  do
    cp program "./${layout// /}"
    # shellcheck disable=SC2086
    "$CFI2SFRAME" --replace ${layout#default} -- "./${layout// /}"
  done
  for layout in --no-split --no-share --compact --compact--no-split; do
    exits 0 --compare default "./$layout"
    [[ $output == *" 0 different, 0 only in A, 0 only in B, "* ]] || report
    # Padding between functions, which nothing executes, may have rows.
    [[ $output == *" equal, 0 different, 0 only in A, "* ]] || report
  done
  # Smaller from one to the next.
  for layout in --no-share --no-split default --compact; do
    objcopy -O binary -j .sframe "./$layout" section
    stat -c %s section
  done >sizes
  sort -c -r -n sizes
}

@test "GNU ld's output: only known defects and _start differ" {
  needs objcopy
  for file in cxx-amd64 lua-amd64-stripped; do
    copy "$srcdir/tests/data/gnu-linked/$file" theirs
    cp theirs ours
    objcopy -R .sframe ours
    "$CFI2SFRAME" ours
    exits 1 --compare theirs ours
    [[ $output == *" 0 different, 0 only in A, 1 only in B"* ]] || report
    [[ $output == *"CFA rsp+16 / rsp+8; known defect of A (plt-got"* ]] || report
    objcopy -R .sframe theirs without
    "$CFI2SFRAME" --gnu=bugs without
    tool --compare theirs without
    [[ $output != *"plt-got"* ]] || report
  done
}

@test "JSON has totals and differences" {
  needs jq
  copy "$srcdir/tests/data/gnu-linked/cxx-amd64" theirs
  cp theirs ours
  "$CFI2SFRAME" --replace ours
  exits 1 --stats=json --compare theirs ours
  [ "$(jq -r .status <<<"$output")" = different ]
  [ "$(jq -r .equal <<<"$output")" = 14 ]
  [ "$(jq -r '.defects["plt-got"]' <<<"$output")" = 1 ]
  [ "$(jq -r '.defects["stale-fp"]' <<<"$output")" = 1 ]
  [ "$(jq -r '.differences | length' <<<"$output")" -ge 2 ]
  tool --stats=json --compare ours ours
  [ "$(jq -r .status <<<"$output")" = equal ]
  # What both sides have wrong is a defect of both.
  tool --stats=json --compare theirs theirs
  [ "$(jq -r '.defects["segment-size"]' <<<"$output")" = 2 ]
}

@test "files that cannot be compared are told" {
  small_program
  cp small converted
  "$CFI2SFRAME" converted
  exits 1 --compare converted small
  [ "$stderr" = "cfi2sframe: small: no .sframe (for converted)" ] || report
  exits 1 --compare small converted
  [ "$stderr" = "cfi2sframe: small: no .sframe" ] || report
  exits 1 --compare converted missing
  [[ $stderr == "cfi2sframe: missing: "* ]] || report
  # --recursive, which other modes advise, does not go with this one.
  exits 1 --compare . converted
  [ "$stderr" = "cfi2sframe: .: is a directory" ] || report
  exits 1 --compare converted .
  [ "$stderr" = "cfi2sframe: .: is a directory (for converted)" ] || report
  "${CC:-cc}" -c small.c -o small.o
  "$CFI2SFRAME" --relocatable small.o
  exits 1 --compare converted small.o
  exits 2 --compare converted
  exits 2 --compare converted converted converted
}

@test "objects of two releases of GNU as" {
  local name
  for name in s390x/ldo-O2.o amd64/lvm-O2.o; do
    exits 0 --compare "$srcdir/tests/data/gnu/v2-binutils-2.45/$name" \
      "$srcdir/tests/data/gnu/v3-binutils-2.47/$name"
  done
  exits 1 --compare "$srcdir/tests/data/gnu/v3-binutils-2.47/amd64/ldo-O2.o" \
    "$srcdir/tests/data/gnu/v3-binutils-2.47/amd64/lvm-O2.o"
  [[ $stderr == *"objects with different code sections" ]] || report
}
