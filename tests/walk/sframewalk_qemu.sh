#!/bin/sh
# The unit tests of libsframewalk as programs of AArch64 and s390x, under qemu.
# Prints TAP.
# There are no libraries for the test to be linked with: qemu/cmocka.h stands in
# for cmocka.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
. "$srcdir/tests/tap.sh"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-qemu.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log

# test_machine MACHINE: of a compiler's name, which is qemu's, too.
test_machine ()
{
  if ! command -v "$1-linux-gnu-gcc" >"$log" || ! command -v "qemu-$1" >"$log"; then
    skip "no $1-linux-gnu-gcc and qemu-$1 (Debian: gcc-$1-linux-gnu, qemu-user)"
    return
  fi
  # shellcheck disable=SC2046 # names without spaces
  if ! "$1-linux-gnu-gcc" -O1 -std=gnu17 -D_GNU_SOURCE -static -pthread \
    -DRANDOM_STACKS=100000 \
    -ffunction-sections -Wl,--gc-sections \
    $(sed -n '/^tests_walk_test_sframewalk_LDFLAGS/,/[^\\]$/p' "$srcdir/tests/walk/local.am" \
      | grep -o -e '-Wl,--wrap=[a-z_]*') \
    -I"$srcdir/tests/walk/qemu" -I. -I"$srcdir/src" -I"$srcdir" \
    -I"$srcdir/include" \
    -o "$scratch/test" "$srcdir/tests/walk/test_sframewalk.c" \
    "$srcdir"/walk/*.c "$srcdir"/src/arch/*.c \
    "$srcdir/src/sframe/encode.c" \
    "$srcdir/src/base/array.c" "$srcdir/src/base/buffer.c" \
    "$srcdir/src/base/error.c" "$srcdir/src/base/printable.c" \
    "$srcdir/src/base/lines.c" \
    >"$log" 2>&1; then
    sed 's/^/# /' "$log"
    result "not ok" "the test can be compiled for $1"
    return
  fi
  timeout 300 "qemu-$1" "$scratch/test" >"$log" 2>&1
  check "the unit tests pass on $1" [ $? -eq 0 ]
}

test_machine aarch64
test_machine s390x
echo "1..$n"
