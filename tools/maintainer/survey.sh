#!/bin/sh
# Are the rows of every ELF file below some folders right?
#   sh tools/maintainer/survey.sh [OPTION]... DIR|FILE...
#     -j N         so many files at a time (default: processors)
#     -f FORMAT    SFrame format: 3, 2, 2.0 or 1 (default: 3)
#     -b BUILD     build tree (default: build)
#     -o RESULTS   keep the results of every file, one JSON object per line
#     -a OPTION    pass OPTION to cfi2sframe (may be repeated)
#     -t SECONDS   that a file may take (default: 600)
# Converts each file into a scratch folder; sframe-prove compares the result with the
# file's CFI, and survey_totals.py adds up.  The files are only read, each output is
# deleted.
# Prints a table of totals; its line "bytes WRONG" has to end in 0.  Seconds a file.
# For example: sh tools/maintainer/survey.sh /usr/sbin
# Exit status: 0 nothing wrong, 1 a wrong row, a crash or a time-out, 2 nothing
# could be surveyed.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
die_status=2

jobs=$(cores)
build='' format=3 results='' arguments='' seconds=600
while getopts j:f:b:o:a:t: option; do
  case $option in
    j) jobs=$OPTARG ;;
    f) format=$OPTARG ;;
    b) build=$OPTARG ;;
    o) results=$OPTARG ;;
    a) arguments="$arguments $OPTARG" ;;
    t) seconds=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

find_build "$build"
tool=$build/src/cfi2sframe
prove=$build/prove/sframe-prove
[ -x "$tool" ] || die "$tool: not built"
[ -x "$prove" ] || die "$prove: not built (needs libdw)"
command -v python3 >/dev/null || die "python3 is needed for the totals"
totals=$top/tools/maintainer/survey_totals.py
make_work survey

python3 "$totals" list "$@" >"$work/files" || die "cannot list the files"
[ -s "$work/files" ] || die "no ELF file there"
# shellcheck disable=SC2086 # the options for cfi2sframe are words
xargs -0 -n 32 -P "$jobs" python3 "$totals" work "$work" "$seconds" "$prove" \
  "$tool" --format="$format" $arguments -- <"$work/files" || die "a worker failed"

cat "$work"/*.results >"$work/all"
[ -z "$results" ] || cp "$work/all" "$results" || exit 2
python3 "$totals" totals "$format" <"$work/all"
