#!/bin/sh
# A little real fuzzing, the same executions of every target each time, if clang
# has libFuzzer: 6,000 of the targets that take less than a millisecond, 2,000
# of the others.  Not part of `make check', where replay runs the same targets;
# .ci/run has it.  tools/maintainer/fuzz.sh is the long form.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
quick="archive existing layout perfdata undo unwind unwind_info"
slow=$(sed -n 's/^  { "\([a-z_]*\)", fuzz_.*/\1/p' "$srcdir/tests/fuzz/target.c" \
  | grep -vxF "$(echo "$quick" | tr ' ' '\n')")
dir=$(pwd)/fuzz-work
# The make that runs this has given its own jobs away.
unset MAKEFLAGS MFLAGS MAKELEVEL
# Findings of earlier runs, perhaps of another version, are not this run's.
rm -rf "$dir/findings"

# fuzz RUNS TARGET...: its result, and whether there is a libFuzzer.
fuzz ()
{
  runs=$1
  shift
  # The time only keeps a slow machine from taking too long.
  output=$(nice -n 15 sh "$srcdir/tools/maintainer/fuzz.sh" -b . -d "$dir" \
    -n "$runs" 3 "$@" 2>&1)
  status=$?
  printf '%s\n' "$output" | sed 's/^/# /'
  case $status in
    0) echo "ok - $runs executions find nothing: $*" ;;
    77) echo "ok # SKIP no clang with libFuzzer (Debian: apt-get install" \
          "clang libclang-rt-dev)" ;;
    *) echo "not ok - see $dir/findings" ;;
  esac
}

# shellcheck disable=SC2086
fuzz 6000 $quick
# shellcheck disable=SC2086
fuzz 2000 $slow
echo "1..2"
