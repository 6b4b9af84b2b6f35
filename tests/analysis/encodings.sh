#!/bin/sh
# The decoder of A64 held against objdump: words that are not instructions, where
# others lead, and what they write (encodings.py).
# SPDX-License-Identifier: LGPL-2.1-or-later

: "${srcdir:=.}"
. "$srcdir/tests/tap.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
objdump=aarch64-linux-gnu-objdump
if ! command -v $objdump >/dev/null; then
  objdump=objdump
  objdump -i 2>/dev/null | grep -q '^ *aarch64$' \
    || skip_all "no objdump for aarch64 (Debian: binutils-aarch64-linux-gnu)"
fi
log=$(mktemp "${TMPDIR:-/tmp}/cfi2sframe-encodings.XXXXXX") || exit 1
trap 'rm -f "$log"' EXIT

held ()
{
  python3 "$srcdir/tests/analysis/encodings.py" tests/analysis/decoded $objdump \
    >"$log" 2>&1
}

echo "1..1"
check "A64 instructions are those that objdump knows" held
