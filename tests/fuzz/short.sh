#!/bin/sh
# A little real fuzzing: $FUZZ_RUNS executions (default 20,000) of every
# target, the same ones each time, if clang has libFuzzer.  tools/maintainer/fuzz.sh is the
# long form.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${FUZZ_RUNS:=20000}"
FUZZ_BUILD=$(pwd) FUZZ_DIR=$(pwd)/fuzz-work
export FUZZ_BUILD FUZZ_DIR FUZZ_RUNS
# The make that runs this has given its own jobs away.
unset MAKEFLAGS MFLAGS MAKELEVEL
# Findings of earlier runs, perhaps of another version, are not this run's.
rm -rf "$FUZZ_DIR/findings"
# The time only keeps a slow machine from taking too long.
output=$(nice -n 15 sh "$srcdir/tools/maintainer/fuzz.sh" 3 2>&1)
status=$?
printf '%s\n' "$output" | sed 's/^/# /'
case $status in
  0) echo "ok 1 - nothing found" ;;
  77) echo "ok 1 # SKIP no clang with libFuzzer (Debian: apt-get install" \
        "clang libclang-rt-14-dev)" ;;
  *) echo "not ok 1 - see $FUZZ_DIR/findings" ;;
esac
echo "1..1"
