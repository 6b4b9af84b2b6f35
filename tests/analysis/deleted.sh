#!/bin/sh
# Every line of CFI that --lint can miss is taken out of a few functions, one at
# a time, and it has to find the rows that this makes wrong, and no others
# (tools/maintainer/deleted-directives.py).
# SPDX-License-Identifier: LGPL-2.1-or-later

: "${srcdir:=.}"
. "$srcdir/tests/tap.sh"
command -v python3 >/dev/null || skip_all "python3 is not installed"
log=$(mktemp "${TMPDIR:-/tmp}/cfi2sframe-deleted.XXXXXX") || exit 1
trap 'rm -f "$log"' EXIT
native=$(${CC:-cc} -dumpmachine)
native=${native%%-*}

deleted ()
{
  python3 "$srcdir/tools/maintainer/deleted-directives.py" -v --rounds=0 --bar=100 \
    --binutils="$2" -b . "$srcdir/tests/analysis/deleted/$1.s" \
    >"$log" 2>&1
}

echo "1..2"
for machine in x86_64 aarch64; do
  prefix=$machine-linux-gnu-
  [ "$machine" != "$native" ] || prefix=
  if [ "$machine" = x86_64 ] && ! has_zydis; then
    skip "built without Zydis"
  elif ! command -v "${prefix}as" >/dev/null; then
    skip "no assembler for $machine (Debian: binutils-$machine-linux-gnu)"
  else
    check "$machine: wrong rows of deleted directives" deleted "$machine" \
      "$prefix"
  fi
done
