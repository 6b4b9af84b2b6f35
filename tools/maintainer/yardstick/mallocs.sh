#!/bin/sh
# How long a frame takes at every seventh malloc of real programs (mallocs.c),
# and at 250 signals a second, converted with the libraries that they need, in
# several ways.
#   mallocs.sh BUILD
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
build=${1:?build folder}
srcdir=$(cd "$(dirname "$0")/../../.." && pwd) || exit 2
build=$(cd "$build" && pwd) || exit 2
. "$srcdir/tests/tap.sh"
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
mkdir lib
"${CC:-cc}" -O2 -shared -fPIC -Wl,-z,now -I"$srcdir/include" -o mallocs.so \
  "$srcdir/tools/maintainer/yardstick/mallocs.c" "$build/.libs/libwalk.a" -lgcc_s || exit 2
"$build/src/cfi2sframe" -q mallocs.so

# measure PROGRAM [ARGUMENT]...
measure ()
{
  program=$(readlink -f "$(command -v "$1")")
  shift
  "$build/src/cfi2sframe" -q -o "${program##*/}" "$program" || return
  libraries_of "$program" | while read -r library; do
    [ -e "lib/$(library_name "$library")" ] \
      || "$build/src/cfi2sframe" -q -o "lib/$(library_name "$library")" "$library"
  done
  for timer in '' MALLOCS_TIMER=1; do
    echo "${program##*/} $timer"
    for way in remembered plain libgcc backtrace; do
      env $timer MALLOCS_WAY=$way lib/ld.so --library-path "$scratch/lib" \
        --preload "$scratch/mallocs.so" "./${program##*/}" "$@" \
        2>&1 >/dev/null </dev/null | grep '^mallocs:'
    done
  done
}

# Python has an allocator of its own otherwise.
export PYTHONMALLOC=malloc
measure "${PYTHON:-/usr/bin/python3}" -c '
import json, re
for i in range (300):
  json.dumps ([{str (j): re.escape (str (j))} for j in range (99)], indent=1)'
measure gdb -q -batch -ex 'info types .' -ex 'info scope main' \
  -ex 'info functions .' -ex 'info variables .' "$build/src/cfi2sframe"
measure sqlite3 :memory: 'with recursive n (i) as (select 1 union all
  select i + 1 from n where i < 1000000) select sum (length (i || "x")) from n'
