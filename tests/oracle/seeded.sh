#!/bin/sh
# Does the oracle notice?  Convert files that contain a little of everything,
# and put faults into the result, one after another (seed_fault.c).
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${CC:=cc}" "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
inputs=$srcdir/tests/oracle/inputs
seed_fault=tests/oracle/seed_fault
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

. "$srcdir/tests/tap.sh"
[ -x "$seed_fault" ] || skip_all "$without_libdw"

# Number the lines of seed_fault.
number ()
{
  while read -r line; do
    n=$((n + 1))
    case $line in
      "not ok"*) echo "not ok $n${line#not ok}" ;;
      ok*) echo "ok $n${line#ok}" ;;
    esac
  done
}

# try NAME FORMAT FAULT...: convert $scratch/NAME and seed.
try ()
{
  name=$1 format=$2
  shift 2
  output=$scratch/$name-v$format
  if "$CFI2SFRAME" --format="$format" -o "$output" "$scratch/$name"; then
    "$seed_fault" "$output" "$@" >"$scratch/tap"
  else
    echo "not ok - $name: conversion to format $format" >"$scratch/tap"
  fi
  number <"$scratch/tap"
}

# check NAME FORMAT FAULT...: does the program's own --check notice, too?  The
# faulty section must have the size of the right one, so rows are not shared.
check ()
{
  name=$1 format=$2
  shift 2
  "$CFI2SFRAME" --format="$format" --no-share -o "$scratch/right" \
    "$scratch/$name"
  n=$((n + 1))
  if "$CFI2SFRAME" --check -q "$scratch/right"; then
    echo "ok $n - --check, $name-v$format: the right file"
  else
    echo "not ok $n - --check, $name-v$format: the right file"
  fi
  for fault in "$@"; do
    n=$((n + 1))
    if ! "$seed_fault" --write="$scratch/wrong" "$scratch/right" "$fault"; then
      echo "not ok $n - --check, $name-v$format: $fault cannot be made"
      continue
    fi
    "$CFI2SFRAME" --check -q "$scratch/wrong" 2>/dev/null
    status=$?
    if [ $status -eq 1 ]; then
      echo "ok $n - --check, $name-v$format: $fault"
    else
      echo "not ok $n - --check, $name-v$format: $fault: exit status $status"
    fi
  done
}

# The file and every other architecture's own compiler, or a reason why not.
if [ "$(uname -m)" = x86_64 ]; then
  amd64=$CC
elif command -v x86_64-linux-gnu-gcc >/dev/null; then
  amd64=x86_64-linux-gnu-gcc
else
  amd64=
fi

header="fixed-ra row-count order function-invented"
function="row-idle function-empty function-late function-early function-too-long
  function-doubled"
row="cfa-offset cfa-offset-narrow row-late row-early row-dropped fp-lost
  fp-sign base-swapped ra-signing word-size"
flexible="load-lost flexible-register flexible-offset flexible-rule-lost"

# shellcheck disable=SC2086
if [ -z "$amd64" ]; then
  skip "no compiler for x86-64"
elif $amd64 -shared -nostdlib -Wl,-z,lazy "$inputs/amd64.s" \
  -o "$scratch/amd64"; then
  try amd64 3 $row $function $header $flexible outermost-lost \
    outermost-invented repeat-size repeat-lost signal-invented signal-lost
  try amd64 2 $row $function $header outermost-invented repeat-size repeat-lost
  try amd64 2.0 $row $function $header outermost-invented
  try amd64 1 $row $function $header
  check amd64 3 base-swapped fp-sign row-late row-early ra-signing \
    load-lost flexible-register flexible-offset function-late \
    function-early function-too-long repeat-size repeat-lost signal-invented \
    signal-lost word-size fixed-ra order
  check amd64 2 base-swapped fp-sign row-late row-early ra-signing \
    function-late function-too-long repeat-size repeat-lost word-size \
    fixed-ra order
else
  skip "$amd64 cannot link tests/oracle/inputs/amd64.s"
fi

# shellcheck disable=SC2086
if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
  skip "no compiler for AArch64 (Debian: gcc-aarch64-linux-gnu)"
else
  aarch64-linux-gnu-gcc -shared -nostdlib "$inputs/aarch64.s" \
    -o "$scratch/aarch64"
  try aarch64 3 $row $function $header ra-fp-swapped signing-key \
    outermost-lost outermost-invented signal-invented
  try aarch64 2 $row $function $header ra-fp-swapped signing-key
  try aarch64 1 $row $function $header ra-fp-swapped signing-key
  check aarch64 3 base-swapped fp-sign ra-fp-swapped ra-signing signing-key \
    row-late function-late function-too-long
  if aarch64-linux-gnu-as -EB "$inputs/aarch64.s" -o "$scratch/be.o" \
    && aarch64-linux-gnu-ld -EB -shared "$scratch/be.o" \
      -o "$scratch/aarch64_be"; then
    try aarch64_be 3 $row $function $header ra-fp-swapped signing-key
    try aarch64_be 2 $row $function $header ra-fp-swapped signing-key
  else
    skip "no big-endian AArch64"
  fi
fi

# shellcheck disable=SC2086
if ! command -v s390x-linux-gnu-gcc >/dev/null; then
  skip "no compiler for s390x (Debian: gcc-s390x-linux-gnu)"
else
  s390x-linux-gnu-gcc -shared -nostdlib "$inputs/s390x.s" -o "$scratch/s390x"
  try s390x 3 $row $function $header ra-fp-swapped ra-padding scale-lost \
    flexible-register flexible-offset flexible-rule-lost outermost-lost \
    outermost-invented
  try s390x 2 $row $function $header ra-fp-swapped ra-padding scale-lost \
    register-word
fi

echo "1..$n"
