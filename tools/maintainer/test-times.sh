#!/bin/bash
# How many processor seconds does each file of tests take?  Not elapsed time: the
# machine may be busy with something else.
#   bash tools/maintainer/test-times.sh [-b BUILD] [TEST...]
#     -b BUILD   build tree (default: build)
#     TEST       as `make check' has it (tests/cli/options.bats; default: all)
# Prints a line for each, seconds of the program and of the system, the longest
# first, and the sum.  What a test kills and does not wait for is in no sum.
# The exit status is that of make check.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
cd "$(dirname "$0")/../.." || exit 2
. tools/common.sh
die_status=2

build=build
[ "${1-}" != -b ] || { build=${2-}; shift 2; }
[ -f "$build/Makefile" ] || die "${build:-nothing}: no build tree"
work=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-times.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# Automake's driver of tests, whose second argument is the test's name.
cat >"$work/driver" <<END
TIMEFORMAT="%U %S \$2"
{ time sh "$PWD/build-aux/tap-driver.sh" "\$@" 2>&3; } 3>&2 2>>"$work/times"
END
quietly make -C "$build" V=0 -j"$(cores)" -k check ${1:+TESTS="$*"} \
  TAP_DRIVER="env AM_TAP_AWK='\$(AWK)' bash $work/driver"
status=$?
[ -s "$work/times" ] || exit 2
awk '{ printf "%8.2f %8.2f  %s\n", $1, $2, $3; u += $1; s += $2 }
     END { printf "%8.2f %8.2f  in all\n", u, s }' "$work/times" | sort -rn
exit $status
