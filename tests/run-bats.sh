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
# What this machine converts is no matter of tests.
CFI2SFRAME_CONFIG=
export CFI2SFRAME_CONFIG
# Tests run debhelper and make themselves: those that run the tests must not
# tell them what to do (DH_INTERNAL_OPTIONS names packages, for instance).
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
unset CFLAGS CPPFLAGS CXXFLAGS LDFLAGS ASFLAGS
for variable in $(env | sed -n 's/^\(D\(H\|EB\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
  unset "$variable"
done

exec "$bats" --tap "$@" </dev/null
