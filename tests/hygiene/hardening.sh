#!/bin/sh
# Is the program built to end in a crash rather than in somebody else's hands,
# and does it do without functions that invite trouble?
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
. "$srcdir/tests/tap.sh"

headers=$(readelf -hldW "$CFI2SFRAME")
imports=$(nm -D --undefined-only "$CFI2SFRAME" | sed 's/.* U //; s/@.*//')

shows ()
{
  printf '%s\n' "$headers" | grep -q "$1"
}

stack_is_data ()
{
  printf '%s\n' "$headers" | grep GNU_STACK | grep -vq 'RWE'
}

# A static program imports nothing, and this could not tell.
imports_none_of ()
{
  [ -n "$imports" ] || { echo "# nothing is imported"; return 1; }
  found=$(printf '%s\n' "$imports" | grep -xE "$1")
  [ -z "$found" ] || { printf '# %s\n' "$found"; return 1; }
}

imports_one_of ()
{
  printf '%s\n' "$imports" | grep -qxE "$1"
}

configured ()
{
  grep -q "^$1 = .*$2" Makefile 2>/dev/null
}

check "the stack is not executable" stack_is_data
if configured C2S_LDFLAGS z,now; then
  check "relocations are read-only" shows GNU_RELRO
  check "all symbols are bound at the start" shows 'BIND_NOW\|NOW'
else
  skip "read-only relocations: not configured so"
fi
if configured C2S_PIE_LDFLAGS pie; then
  check "loaded at a random address" shows 'Type: *DYN'
else
  skip "loaded at a random address: not configured so"
fi
if configured C2S_CFLAGS stack-protector; then
  check "the stack is guarded" imports_one_of '__stack_chk_fail'
else
  skip "guarded stack: not configured so"
fi
if configured C2S_CFLAGS FORTIFY_SOURCE; then
  check "functions of libc check sizes" imports_one_of '__.*_chk'
else
  skip "fortified functions: not configured so"
fi
if ! shows INTERP; then
  skip "functions that invite trouble: a static program imports none"
  echo "1..$n"
  exit 0
fi
check "no shell and no other program" imports_none_of \
  'system|popen|exec[lv].*|fexecve|posix_spawn.*|fork|vfork|wordexp'
check "no predictable temporary names" imports_none_of \
  'tmpnam|tmpnam_r|tempnam|mktemp'
check "no unbounded string functions" imports_none_of \
  'gets|strcpy|stpcpy|strcat|sprintf|vsprintf|scanf|fscanf|sscanf'
check "no library is loaded by name" imports_none_of 'dlopen|dlmopen'
echo "1..$n"
