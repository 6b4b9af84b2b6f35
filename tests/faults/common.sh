# What the tests of this folder share: a folder of their own, in which w/f is
# worked on, and how results are told.  Sourced by bash; $1 is the build folder.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash

srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
builddir=$(cd "${1:-.}" && pwd) || exit 99
program=$builddir/src/cfi2sframe
compiler=${CC:-cc}
. "$srcdir/tests/tap.sh"

dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
mkdir w

failures=0
# report WHAT WRONG: what is wrong is shown.
report ()
{
  if [ -z "$2" ]; then
    result ok "$1"
  else
    failures=$((failures + 1))
    result "not ok" "$1"
    printf '%s\n' "$2" | sed 's/^/# /'
  fi
}

# The test's last command.
end_report ()
{
  echo "1..$n"
  [ $failures -eq 0 ]
}

# Temporary files beside w/f.  The shell looks itself where it can: new processes
# take most of the time of these tests.
has_temporary_files ()
{
  compgen -G 'w/.cfi2sframe-*' >/dev/null
}

remove_temporary_files ()
{
  ! has_temporary_files || rm -f w/.cfi2sframe-*
}

# memory.so, which is memory.c, and the source small.c; or the test is skipped.
compile_memory_faults ()
{
  ! grep -q __asan_init "$program" || skip_all "AddressSanitizer has its own malloc"
  printf '#include <stdlib.h>\n#ifndef __GLIBC__\n#error\n#endif\n' >glibc.c
  "$compiler" -c glibc.c 2>/dev/null \
    || skip_all "only glibc has its malloc under another name"
  "$compiler" -shared -fPIC -O1 -o memory.so "$srcdir/tests/faults/memory.c" \
    || exit 99
  cat >small.c <<'END'
#include <stdio.h>
#include <string.h>
static int __attribute__ ((noinline))
variable (int n)
{
  char *space = __builtin_alloca (n + 1);
  memset (space, 'x', n);
  space[n] = 0;
  return (int)strlen (space);
}
static int __attribute__ ((noinline))
deep (int n)
{
  return n > 0 ? deep (n - 1) + variable (n) : variable (9);
}
int
main (int argc, char **argv)
{
  printf ("%d %s\n", deep (argc), argv[0]);
  return 0;
}
END
}
