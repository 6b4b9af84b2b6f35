#!/bin/sh
# Do the files of the source keep to the layers of doc/develop/HACKING, and would
# tools/maintainer/check-layers.sh notice if they did not?
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
. "$srcdir/tests/tap.sh"
log=$tree/log

list='Layers
======

  low  Below.  Includes nothing.
    Other folders include a
    and b alone.
  high  Above.  Includes low.
  relocatable
    O.  Includes low.
  convert  C.  Includes low,
    high and relocatable.
  stacks  Of some, a part.  Includes low; of high c and
    e alone.
  prove  Alone.  Includes nothing.

More
====
  other
'

# A tree with layers low and high and the two halves of a module, and what
# $2 says in file $1 of it.
is_accepted ()
{
  rm -rf "$tree/src" "$tree/relocatable" "$tree/stacks" "$tree/prove" "$tree/doc"
  mkdir -p "$tree/doc/develop" "$tree/src/low" "$tree/src/high" "$tree/src/other" \
    "$tree/src/convert" "$tree/relocatable" "$tree/stacks" "$tree/prove"
  printf '%s' "$list" >"$tree/doc/develop/HACKING"
  printf '#include "low/a.h"\n\nvoid\na_go (void)\n{\n  b_go ();\n}\n' \
    >"$tree/src/low/a.c"
  printf '#include "low/b.h"\n\nvoid\nb_go (void)\n{\n}\n' \
    >"$tree/src/low/b.c"
  printf '#include "low/b.h"\n' >"$tree/src/low/a.h"
  printf '#include "low/a.h"\n' >"$tree/src/high/c.c"
  : >"$tree/src/low/b.h"
  printf '#include "low/a.h"\n#include "high/c.h"\n#include "relocatable/o.h"\n\nvoid\nc_go (void)\n{\n  o_go ();\n}\n' \
    >"$tree/src/convert/c.c"
  printf '#include "low/b.h"\n\nvoid\no_go (void)\n{\n}\n' \
    >"$tree/relocatable/o.c"
  printf '#include "low/b.h"\n#include "high/c.h"\n' >"$tree/stacks/s.c"
  printf '#include "p.h"\n' >"$tree/prove/p.c"
  printf '%s\n' "$2" >>"$tree/$1"
  sh "$srcdir/tools/maintainer/check-layers.sh" "$tree" >"$log" 2>&1
}

refused ()
{
  ! is_accepted "$1" "$2" && grep -q "$3" "$log"
}

# Where the list is changed by the sed script $1.
refused_by_list ()
(
  list=$(printf '%s' "$list" | sed "$1")
  refused src/low/b.h '' "$2"
)

tree_keeps_to_them ()
{
  sh "$srcdir/tools/maintainer/check-layers.sh" "$srcdir" >"$log" 2>&1
}

echo "1..16"
check "the files of the source keep to their layers" tree_keeps_to_them
check "a small tree does" is_accepted src/high/c.c '#include "low/b.h"'
check "an include of a higher layer is found" \
  refused src/low/b.h '#include "high/c.h"' 'low must not include "high/c.h"'
check "an include of a lower layer that is not named is found" \
  refused src/high/c.c '#include "convert/c.h"' 'high must not include "convert/c.h"'
check "a module is found of a layer that has others named" \
  refused stacks/s.c '#include "high/d.h"' 'stacks must not include "high/d.h"'
check "an include in the folder that has none is found" \
  refused prove/p.c '#include "low/a.h"' 'prove must not include "low/a.h"'
check "so is one by another way" \
  refused prove/p.c '#include "../src/low/a.h"' 'prove must not include'
check "a layer that is named and not above is found" \
  refused_by_list 's/Below.  Includes nothing/Below.  Includes high/' 'high is not above low'
check "a layer that is named and not included is found" \
  refused_by_list 's/Alone.  Includes nothing/Alone.  Includes low/' \
  'prove includes nothing of low'
check "files that need each other are found" \
  refused src/low/b.h '#include "low/a.h"' 'loop'
check "functions used in both directions are found" \
  refused src/low/b.c '  a_go ();' 'loop'
check "a header that is not for other folders is found" \
  refused src/high/c.c '#include "low/d.h"' 'not for other folders: "low/d.h"'
check "a public function in another file than public.c is found" \
  refused src/low/b.c 'cfi2sframe_go (void)' 'src/low/b.c'
check "a folder that is not a layer is found" \
  refused src/other/d.c '#include "low/a.h"' 'other must not'
check "an include of a higher layer from outside of src is found" \
  refused relocatable/o.c '#include "convert/c.h"' 'relocatable must not include'
check "a list of layers that is gone is found" refused_by_list 's/^Layers/Strata/' .
