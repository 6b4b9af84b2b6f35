#!/bin/sh
# Do the files of src/ keep to the layers of doc/develop/HACKING, and would
# tools/maintainer/check-layers.sh notice if they did not?
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
. "$srcdir/tests/tap.sh"
log=$tree/log

# A tree with layers low and high and the two halves of a module, and what
# $2 says in file $1 of it.
is_accepted ()
{
  rm -rf "$tree/src" "$tree/relocatable" "$tree/doc"
  mkdir -p "$tree/doc/develop" "$tree/src/low" "$tree/src/high" "$tree/src/other" \
    "$tree/src/convert" "$tree/relocatable"
  printf 'Layers\n======\n\n  low  Below.\n    Other folders include a\n    and b alone.\n  high  Above.\n  convert  C.\n  relocatable  O.\n\nMore\n====\n  other\n' \
    >"$tree/doc/develop/HACKING"
  printf '#include "low/a.h"\n\nvoid\na_go (void)\n{\n  b_go ();\n}\n' \
    >"$tree/src/low/a.c"
  printf '#include "low/b.h"\n\nvoid\nb_go (void)\n{\n}\n' \
    >"$tree/src/low/b.c"
  printf '#include "low/b.h"\n' >"$tree/src/low/a.h"
  printf '#include "low/a.h"\n' >"$tree/src/high/c.c"
  : >"$tree/src/low/b.h"
  printf '#include "relocatable/o.h"\n\nvoid\nc_go (void)\n{\n  o_go ();\n}\n' \
    >"$tree/src/convert/c.c"
  printf '#include "convert/d.h"\n\nvoid\no_go (void)\n{\n}\n' \
    >"$tree/relocatable/o.c"
  printf '%s\n' "$2" >>"$tree/$1"
  sh "$srcdir/tools/maintainer/check-layers.sh" "$tree" >"$log" 2>&1
}

refused ()
{
  ! is_accepted "$1" "$2" && grep -q "$3" "$log"
}

refused_without_list ()
{
  is_accepted src/low/b.h '' || return 1
  sed 's/^Layers/Strata/' "$tree/doc/develop/HACKING" >"$log"
  cp "$log" "$tree/doc/develop/HACKING"
  ! sh "$srcdir/tools/maintainer/check-layers.sh" "$tree" >"$log" 2>&1
}

tree_keeps_to_them ()
{
  sh "$srcdir/tools/maintainer/check-layers.sh" "$srcdir" >"$log" 2>&1
}

echo "1..11"
check "the files of src keep to their layers" tree_keeps_to_them
check "a small tree does" is_accepted src/high/c.c '#include "low/b.h"'
check "an include of a higher layer is found" \
  refused src/low/b.h '#include "high/c.h"' 'low must not include "high/c.h"'
check "files that need each other are found" \
  refused src/low/b.h '#include "low/a.h"' 'loop'
check "functions used in both directions are found" \
  refused src/low/b.c '  a_go ();' 'loop'
check "a header that is not for other folders is found" \
  refused src/high/c.c '#include "low/d.h"' 'not for other folders: "low/d.h"'
check "a public function in another file than public.c is found" \
  refused src/low/b.c 'cfi2sframe_go (void)' 'src/low/b.c'
check "a folder that is no layer is found" \
  refused src/other/d.c '#include "low/a.h"' 'other must not'
check "convert and relocatable in both directions are found" \
  refused relocatable/o.c '#include "convert/c.h"' 'loop'
check "functions of the two in both directions are found" \
  refused relocatable/o.c '  c_go ();' 'loop'
check "a list of layers that is gone is found" refused_without_list
