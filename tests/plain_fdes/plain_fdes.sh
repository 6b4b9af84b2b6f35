#!/bin/sh
# Plain FDEs, which are read without libdwarf, are what libdwarf says: every
# FDE of some programs and libraries.  tools/maintainer/long.sh looks at all there
# are; tests/unit/test_plain_fde.c, at damaged ones.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: plain_fdes.sh [DIRECTORY...], in the build directory.

set -u
log=$(mktemp) || exit 99
trap 'rm -f "$log"' EXIT
trap 'exit 99' HUP INT TERM
if [ $# -gt 0 ]; then
  find "$@" -type f \( -perm -100 -o -name '*.so*' -o -name '*.o' \) \
    -exec tests/plain_fdes/against_libdwarf {} + >"$log" 2>&1
else
  tests/plain_fdes/against_libdwarf src/cfi2sframe "$(command -v sh)" \
    "$(command -v ls)" "$(ldd src/cfi2sframe | awk '/libc\.so/ { print $3 }')" \
    "$(ldd src/cfi2sframe | awk '/libdwarf/ { print $3 }')" >"$log" 2>&1
fi
status=$?
sed 's/^/# /' "$log"
if [ $status -eq 0 ]; then
  echo "ok 1 - plain FDEs are what libdwarf says"
else
  echo "not ok 1 - plain FDEs are what libdwarf says"
fi
echo "1..1"
