#!/bin/sh
# How long does a frame take in real programs?
#   sh tools/maintainer/yardstick/mallocs.sh [BUILD]     (default: build)
# Runs Python, gdb and sqlite3, converted with the libraries that they need, and walks
# the stack in four ways (mallocs.c) at every seventh malloc, and at 250 signals a
# second.  Prints a line for each way; minutes.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../../.." && pwd) || exit 2
. "$top/tools/common.sh"
no_options "$@"
. "$top/tests/tap.sh"
[ $# -le 1 ] || usage
find_build "${1-}"
make_work mallocs
cd "$work" || exit 2
mkdir lib
"${CC:-cc}" -O2 -shared -fPIC -Wl,-z,now -I"$top/include" -o mallocs.so \
  "$top/tools/maintainer/yardstick/mallocs.c" "$build/.libs/libwalk.a" -lgcc_s || exit 2
"$build/src/cfi2sframe" -q mallocs.so

# measure PROGRAM [ARGUMENT]...: in all ways, without and with signals.
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
      env $timer MALLOCS_WAY=$way lib/ld.so --library-path "$work/lib" \
        --preload "$work/mallocs.so" "./${program##*/}" "$@" \
        2>&1 >/dev/null </dev/null | grep '^mallocs:'
    done
  done
}

# Without this, Python has an allocator of its own and hardly calls malloc.
export PYTHONMALLOC=malloc
measure "${PYTHON:-/usr/bin/python3}" -c '
import json, re
for i in range (300):
  json.dumps ([{str (j): re.escape (str (j))} for j in range (99)], indent=1)'
measure gdb -q -batch -ex 'info types .' -ex 'info scope main' \
  -ex 'info functions .' -ex 'info variables .' "$build/src/cfi2sframe"
measure sqlite3 :memory: 'with recursive n (i) as (select 1 union all
  select i + 1 from n where i < 1000000) select sum (length (i || "x")) from n'
