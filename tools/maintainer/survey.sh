#!/bin/sh
# Convert every ELF file below some directories into a scratch folder, have
# sframe-prove compare each result with the file's CFI, and print totals.
#   sh tools/maintainer/survey.sh [OPTION]... DIR|FILE...
#     -j N         so many files at a time (default: processors)
#     -f FORMAT    SFrame format: 3, 2, 2.0 or 1 (default 3)
#     -b BUILD     build tree (default: build)
#     -o RESULTS   keep the results of every file, one JSON object per line
#     -a OPTION    pass OPTION to cfi2sframe (may be repeated)
#     -t           only the totals, as one JSON object
# Input files are only read; each output is deleted once it is checked.
# Exit status: 0 nothing wrong, 1 a wrong row, a crash or a time-out,
# 2 nothing could be surveyed.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
cd_root=$(dirname "$0")/../..
. "$cd_root/tools/common.sh"
die_status=2

jobs=$(cores)
build=$cd_root/build format=3 results='' arguments='' totals_only=
while getopts j:f:b:o:a:t option; do
  case $option in
    j) jobs=$OPTARG ;;
    f) format=$OPTARG ;;
    b) build=$OPTARG ;;
    o) results=$OPTARG ;;
    a) arguments="$arguments $OPTARG" ;;
    t) totals_only=-t ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || die "usage: survey.sh [-j N] [-f FORMAT] [-b BUILD] [-o RESULTS] [-a OPTION] [-t] DIR..."

build=$(cd "$build" && pwd) || die "no build tree"
tool=$build/cfi2sframe
[ -x "$tool" ] || tool=$build/src/cfi2sframe
prove=$build/prove/sframe-prove
[ -x "$tool" ] || die "$tool: not built"
[ -x "$prove" ] || die "$prove: not built (needs libdw)"
command -v python3 >/dev/null || die "python3 is needed for the totals"
totals=$(cd "$cd_root/tools/maintainer" && pwd)/survey_totals.py

scratch=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-survey.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT

SURVEY_SCRATCH=$scratch SURVEY_TOOL=$tool SURVEY_PROVE=$prove
SURVEY_FORMAT=$format SURVEY_ARGUMENTS=$arguments
SURVEY_TIMEOUT=${SURVEY_TIMEOUT:-600}
export SURVEY_SCRATCH SURVEY_TOOL SURVEY_PROVE SURVEY_FORMAT \
  SURVEY_ARGUMENTS SURVEY_TIMEOUT

python3 "$totals" list "$@" >"$scratch/files" || die "cannot list the files"
[ -s "$scratch/files" ] || die "no ELF file there"
xargs -0 -n 32 -P "$jobs" python3 "$totals" work <"$scratch/files" \
  || die "a worker failed"

cat "$scratch"/*.results >"$scratch/all"
[ -z "$results" ] || cp "$scratch/all" "$results" || exit 2
# shellcheck disable=SC2086
python3 "$totals" totals $totals_only "$format" <"$scratch/all"
