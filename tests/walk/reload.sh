#!/bin/sh
# Walk in threads while libraries are loaded and unloaded (reload.c).  Prints TAP.
#   reload.sh [--long]
# The long form loads a hundred times as often, and again under ThreadSanitizer
# and under AddressSanitizer.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${CC:=cc}" "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
case $srcdir in /*) ;; *) srcdir=$PWD/$srcdir ;; esac
. "$srcdir/tests/tap.sh"
rounds=40
[ "${1-}" = --long ] && rounds=4000

case $(uname -m) in
  x86_64 | aarch64) ;;
  *) skip_all "not for this machine" ;;
esac
build=$(pwd)
[ -e "$build/.libs/libwalk.a" ] || skip_all "no libwalk.a"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-reload.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
mkdir lib
log=errors

# A converted copy of the library $1, unless it is there.
take_library ()
{
  [ -e "lib/${1##*/}" ] || "$CFI2SFRAME" -q -o "lib/${1##*/}" "$1" 2>>errors
}

# reload NAME ROUNDS FORKS [COMPILER-ARGUMENT]...
reload ()
{
  name=$1 wanted=$2 forks=$3
  shift 3
  if ! "$CC" -O1 -g -pthread -I"$srcdir/include" -o "$name" \
    "$srcdir/tests/walk/reload.c" "$@" -ldl >errors 2>&1; then
    sed 's/^/# /' errors
    skip "$name: cannot be compiled"
    return
  fi
  "$CFI2SFRAME" -q "$name" || {
    result "not ok" "$name: can be converted"
    return
  }
  for library in $(ldd "./$name" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p') \
    $(ldconfig -p 2>/dev/null \
      | sed -n 's/.*lib\(z\|m\|resolv\|lzma\|stdc++\)\.so\.[0-9]* .*=> //p'); do
    [ -e "lib/${library##*/}" ] || take_library "$library"
  done
  [ -e lib/libz.so.1 ] || {
    skip "$name: no zlib"
    return
  }
  # The dynamic linker has locks of its own, of which ThreadSanitizer does not
  # know.
  echo 'race:_dl_' >suppressions
  ASAN_OPTIONS=detect_stack_use_after_return=0 \
    TSAN_OPTIONS="halt_on_error=1 suppressions=$scratch/suppressions" \
    LD_LIBRARY_PATH=$scratch/lib timeout 500 \
    "./$name" "$wanted" "$forks" libresolv.so.2 liblzma.so.5 libm.so.6 \
    libstdc++.so.6 >output 2>errors
  status=$?
  sed 's/^/# /' output
  [ "$status" -eq 0 ]
  check "$name: walks through libraries that come and go" [ "$status" -eq 0 ]
}

# The sources again, for what instruments them.
sources=$(find "$srcdir/walk" "$srcdir/src/arch" -name '*.c' ! -name step.c)
flags="-std=gnu17 -D_GNU_SOURCE -I$build -I$srcdir/src -I$srcdir"

reload plain "$rounds" 20 "$build/.libs/libwalk.a"
if [ "${1-}" = --long ]; then
  # shellcheck disable=SC2086 # names and flags without spaces
  reload thread $((rounds / 4)) 0 -fsanitize=thread $flags $sources
  # shellcheck disable=SC2086
  reload address $((rounds / 4)) 20 -fsanitize=address $flags $sources
fi
echo "1..$n"
