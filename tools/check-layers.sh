#!/bin/sh
# Layers: a file of src/ includes only headers of its own folder and of those
# above it in the list of doc/HACKING, "Layers" (tool: only of convert and process), and
# within a folder no module (NAME.c and NAME.h) needs one that needs it.  Where
# that list says which headers other folders include alone, they include no others.
# Prints what violates this.
#   sh tools/check-layers.sh [SOURCE-TREE]
# SPDX-License-Identifier: LGPL-2.1-or-later

cd "${1:-$(dirname "$0")/..}" || exit 1
edges=$(mktemp) || exit 1
trap 'rm -f "$edges"' EXIT
find src -mindepth 2 -name '*.[ch]' | LC_ALL=C sort | xargs awk '
  FILENAME == "doc/HACKING" {
    if (/^==/) inside = previous == "Layers"
    else if (inside && /^  [a-z]/) { rank[$1] = ++n; layer = $1 }
    if (inside && /Other folders include .* alone/)
      { doors[layer] = $0; gsub (/[^a-z_.]/, " ", doors[layer]) }
    previous = $0
    next
  }
  /^#include "[a-z0-9_]+\// {
    split (FILENAME, path, "/"); own = path[2]
    split ($2, name, /["\/.]/); other = name[2]
    if (own == other)
      print own "/" substr (path[3], 1, length (path[3]) - 2), other "/" name[3]
    else if (!(own in rank) || !(other in rank) || rank[other] > rank[own] \
             || (own == "tool" && other != "convert" && other != "process"))
      { print FILENAME ":" FNR ": " own " must not include " $2 >"/dev/stderr"
        bad = 1 }
    else if (other in doors && index (doors[other], " " name[3] ".h ") == 0)
      { print FILENAME ":" FNR ": not for other folders: " $2 >"/dev/stderr"
        bad = 1 }
  }
  END { exit bad || n == 0 }' doc/HACKING >"$edges" || failed=1
tsort <"$edges" >/dev/null || failed=1
exit "${failed:-0}"
