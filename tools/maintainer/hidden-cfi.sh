#!/bin/sh
# Does the analysis of x86-64 code say what the code's CFI says, without seeing it?
#   sh tools/maintainer/hidden-cfi.sh [-b BUILD] [-o REPORT] [FILE|DIRECTORY]...
#     -b BUILD    build tree, after make check (default: build)
#     -o REPORT   what hidden_cfi -v prints of each file (default: none)
# Compares both in the files and all those below the directories (default: a whole
# system).  Prints the files with differences, which are errors of the CFI (look for
# them with --lint) or of the analysis; the files with most bytes that the analysis
# says nothing about; and the sum.  Seconds a file.
# For example: sh tools/maintainer/hidden-cfi.sh /usr/sbin
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
die_status=2

build='' report=/dev/null
while getopts b:o: option; do
  case $option in
    b) build=$OPTARG ;;
    o) report=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- /usr/bin /usr/sbin /usr/lib /usr/libexec /opt
find_build "$build"
[ -x "$build/tests/analysis/hidden_cfi" ] \
  || die "$build/tests/analysis/hidden_cfi: not built (make check builds it)"

python3 "$top/tools/maintainer/survey_totals.py" list --x86-64 "$@" \
  | xargs -0 -r -n 1 "$build/tests/analysis/hidden_cfi" -v 2>&1 | tee "$report" \
  | grep -F " equal " | awk '
  # NAME TOTAL equal SHARE% cfa-differs N ra-differs N fp-differs N unknown N
  # incomparable N silent N functions N SECONDS REASONS.  The last "equal" is looked
  # for, because a name can have blanks.
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
