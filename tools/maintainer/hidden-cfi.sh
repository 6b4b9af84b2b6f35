#!/bin/sh
# What the analysis makes of code without seeing its CFI, compared with that
# CFI: for all x86-64 programs and libraries of a system, or those named.
#   sh tools/maintainer/hidden-cfi.sh [-b BUILD] [-o REPORT] [FILE|DIRECTORY]...
#     -b BUILD    build tree, after make check (default: build)
#     -o REPORT   what hidden_cfi prints of each file, with -v (default: none)
# Prints the files with differences, which are errors of the CFI (look for them
# with --lint) or of the analysis; the sum; and the files with most bytes that
# nothing is said of.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
. "$(dirname "$0")/../common.sh"
die_status=2
build=build
report=/dev/null
while getopts b:o: option; do
  case $option in
    b) build=$OPTARG ;;
    o) report=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- /usr/bin /usr/sbin /usr/lib /usr/libexec /opt
[ -x "$build/tests/analysis/hidden_cfi" ] \
  || die "$build/tests/analysis/hidden_cfi: not built (make check builds it)"

# Each file once, whatever its names; ELF, 64 bits, little-endian, x86-64.
candidates ()
{
  find -H "$@" -type f -size +0 \( -perm /111 -o -name '*.so*' \) \
    -printf '%D:%i %p\n' 2>/dev/null | sort -u -k1,1 | cut -d' ' -f2- | sort
}

is_x86_64 ()
{
  case $(head -c 20 "$1" 2>/dev/null | od -An -v -tx1 | tr -d ' \n') in
    7f454c460201*0[23]003e00) return 0 ;;
  esac
  return 1
}

: >"$report"
candidates "$@" | while IFS= read -r file; do
  is_x86_64 "$file" || continue
  "$build/tests/analysis/hidden_cfi" -v "$file" </dev/null 2>&1 \
    | tee -a "$report" | grep -F " equal "
done | awk '
  # NAME TOTAL equal SHARE% cfa-differs N ra-differs N fp-differs N unknown N
  # incomparable N silent N functions N SECONDS REASONS: from behind, because
  # names can have blanks in them.
  {
    for (i = NF; i > 2 && $i != "equal"; i--);
    total = $(i - 1) - $(i + 11)
    differs = $(i + 3) + $(i + 5) + $(i + 7)
    silent = $(i + 13) + $(i + 9)
    files++
    bytes += total
    different += differs
    unsaid += silent
    $0 = substr ($0, 1, index ($0, " " $(i - 1) " equal") - 1)
    sub (/ *$/, "")
    if (differs > 0)
      printf "%d bytes differ: %s\n", differs, $0
    if (silent > 0)
      printf "%d bytes of %d: %s\n", silent, total, $0 | "sort -rn | head -n 20 >&2"
  }
  END {
    close ("sort -rn | head -n 20 >&2")
    if (bytes > 0)
      printf "%d files, %d bytes: %.3f %% equal, %d nothing said, %d differ\n",
        files, bytes, 100 * (bytes - unsaid - different) / bytes, unsaid,
        different
  }'
