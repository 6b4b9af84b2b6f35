#!/bin/sh
# Run a bats file as a TAP test; say why not when bats is missing.
# SPDX-License-Identifier: LGPL-2.1-or-later

bats=$1
shift
if [ -z "$bats" ]; then
  echo "1..0 # SKIP bats not found (Debian: apt-get install bats)"
  exit 0
fi

: "${srcdir:=.}"
srcdir=$(cd "$srcdir" && pwd) || exit 99
: "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
builddir=$(pwd)
export srcdir builddir CFI2SFRAME

# Output must not depend on who runs the tests.
LC_ALL=C
TZ=UTC
export LC_ALL TZ
unset LD_LIBRARY_PATH LD_PRELOAD

exec "$bats" --tap "$@" </dev/null
