#!/bin/bash
# How many processor seconds does each file of tests take?
#   bash tools/maintainer/test-times.sh [-b BUILD] [TEST...]
#     -b BUILD   build tree (default: build)
#     TEST       as make check has it, tests/cli/options.bats (default: all)
# Prints a line for each file, with the seconds of the program and of the system, the
# longest first, and the sum; takes as long as the tests do.  Elapsed time would depend
# on what else runs.  The time of a process that a test kills without waiting for it is
# not included.
# Exit status: that of make check.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
die_status=2

build=
while getopts b: option; do
  case $option in
    b) build=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
find_build "$build"
make_work times

# Automake's driver of tests gets the test's name as its second argument.
cat >"$work/driver" <<END
TIMEFORMAT="%U %S \$2"
{ time sh "$top/build-aux/tap-driver.sh" "\$@" 2>&3; } 3>&2 2>>"$work/times"
END
quietly make -C "$build" V=0 -j"$(cores)" -k check ${1:+TESTS="$*"} \
  TAP_DRIVER="env AM_TAP_AWK='\$(AWK)' bash $work/driver"
status=$?
[ -s "$work/times" ] || exit 2
awk '{ printf "%8.2f %8.2f  %s\n", $1, $2, $3; u += $1; s += $2 }
     END { printf "%8.2f %8.2f  in all\n", u, s }' "$work/times" | sort -rn
exit $status
