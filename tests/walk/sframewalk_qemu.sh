#!/bin/sh
# The unit tests of libsframewalk as an AArch64 program, under qemu.  Prints TAP.
# There are no libraries for the test to be linked with: qemu/cmocka.h stands in
# for cmocka.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
. "$srcdir/tests/tap.sh"
cross=aarch64-linux-gnu-gcc
command -v "$cross" >/dev/null \
  || skip_all "no $cross (Debian: apt-get install gcc-aarch64-linux-gnu)"
command -v qemu-aarch64 >/dev/null \
  || skip_all "no qemu-aarch64 (Debian: apt-get install qemu-user)"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-qemu.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log

# shellcheck disable=SC2046 # names without spaces
if ! "$cross" -O1 -std=gnu17 -D_GNU_SOURCE -static -pthread \
  -ffunction-sections -Wl,--gc-sections \
  $(sed -n '/^tests_walk_test_sframewalk_LDFLAGS/,/[^\\]$/p' "$srcdir/tests/walk/local.am" \
    | grep -o -e '-Wl,--wrap=[a-z_]*') \
  -I"$srcdir/tests/walk/qemu" -I. -I"$srcdir/src" -I"$srcdir" \
  -I"$srcdir/include" \
  -o "$scratch/test" "$srcdir/tests/walk/test_sframewalk.c" \
  "$srcdir"/walk/*.c "$srcdir"/src/arch/*.c \
  "$srcdir/src/sframe/encode.c" \
  "$srcdir/src/base/buffer.c" "$srcdir/src/base/error.c" \
  "$srcdir/src/base/array.c" "$srcdir/src/base/printable.c" \
  "$srcdir/src/base/lines.c" >"$log" 2>&1; then
  sed 's/^/# /' "$log"
  result "not ok" "the test can be compiled"
else
  timeout 300 qemu-aarch64 "$scratch/test" >"$log" 2>&1
  check "the unit tests pass on aarch64" [ $? -eq 0 ]
fi
echo "1..$n"
