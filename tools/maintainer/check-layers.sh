#!/bin/sh
# Layers: a file of the source includes only headers of its own folder and of
# those above it in the list of doc/develop/HACKING, "Layers" (cli: only of
# base, convert, relocatable and compact-unwind; stacks: of convert only
# detached.h and rows_on_demand.h; convert: of relocatable, too, which is behind
# it).  Within a folder, and within convert and relocatable together, no module
# (NAME.c and NAME.h) includes one that includes it, and none uses a function of
# one that uses a function of its own, whatever headers declare them.  Where that
# list says which modules other folders include alone, they include no others.
# The public functions stand in convert/public.c alone.
# Prints what violates this.
#   sh tools/maintainer/check-layers.sh [SOURCE-TREE]
# SPDX-License-Identifier: LGPL-2.1-or-later

. "$(dirname "$0")/../common.sh"
cd "${1:-$(dirname "$0")/../..}" || exit 1
edges=$(mktemp) || exit 1
trap 'rm -f "$edges"' EXIT
sources ()
{
  find $product_folders -name "$1" 2>/dev/null \
    | LC_ALL=C sort
}

sources '*.[ch]' | xargs awk '
  # The folder and the module of a header or a file; names in src/ are without
  # that.
  function folder_of (name) { sub (/^src\//, "", name); sub (/\/[^\/]*$/, "", name); return name }
  function module_of (name) { sub (/.*\//, "", name); sub (/\.[ch]"?$/, "", name); return name }
  FILENAME == "doc/develop/HACKING" {
    if (/^==/) inside = previous == "Layers"
    else if (inside && /^  [a-z]/) { rank[$1] = ++n; layer = $1 }
    if (inside) said[layer] = said[layer] " " $0
    if (match (said[layer], /Other folders include [^.]* alone/)) {
      doors[layer] = substr (said[layer], RSTART, RLENGTH)
      gsub (/[^a-z_]/, " ", doors[layer])
    }
    previous = $0
    next
  }
  /^#include "[a-z0-9_-]+\// {
    own = folder_of(FILENAME)
    other = folder_of(substr ($2, 2)); module = module_of($2)
    if (own == other || own == "convert" && other == "relocatable" \
        || own == "relocatable" && other == "convert")
      print own "/" module_of(FILENAME), other "/" module
    if (own == other)
      next
    if (!(own in rank) || !(other in rank) \
             || (rank[other] > rank[own] \
                 && !(own == "convert" && other == "relocatable")) \
             || (own == "cli" && other != "base" && other != "convert" \
                 && other != "relocatable" && other != "compact-unwind") \
             || (own == "stacks" && other == "convert" \
                 && module != "detached" && module != "rows_on_demand"))
      { print FILENAME ":" FNR ": " own " must not include " $2 >"/dev/stderr"
        bad = 1 }
    else if (other in doors && index (doors[other], " " module " ") == 0)
      { print FILENAME ":" FNR ": not for other folders: " $2 >"/dev/stderr"
        bad = 1 }
  }
  END { exit bad || n == 0 }' doc/develop/HACKING >"$edges" || failed=1
tsort <"$edges" >/dev/null || failed=1

# Which module uses functions of which: what begins a line and is not static is
# defined there; a word elsewhere in the folder, outside of comments and
# strings, is a use.
sources '*.c' | xargs awk '
  FNR == 1 {
    module = substr (FILENAME, 1, length (FILENAME) - 2); comment = 0
    folder = module; sub (/\/[^\/]*$/, "", folder)
    if (folder == "relocatable") folder = "src/convert"
  }
  {
    line = $0
    if (comment && !sub (/^.*\*\//, "", line)) next
    comment = 0
    gsub (/"([^"\\]|\\.)*"/, "", line)
    while (i = index (line, "/*")) {
      rest = substr (line, i + 2); line = substr (line, 1, i - 1)
      if (!(i = index (rest, "*/"))) { comment = 1; break }
      line = line " " substr (rest, i + 2)
    }
    if (line ~ /^[a-z][a-z0-9_]* \(/ && type !~ /^static/)
      { name = line; sub (/ .*/, "", name); home[folder, name] = module }
    else
      for (i = split (line, word, /[^A-Za-z0-9_]+/); i > 0; i--)
        used[folder, word[i], module]
    if (line !~ /^[ \t]*$/) type = line
  }
  END {
    for (use in used) {
      split (use, part, SUBSEP)
      to = home[part[1], part[2]]
      if (to != "" && to != part[3]) print part[3], to
    }
  }' | LC_ALL=C sort -u >"$edges"
[ -s "$edges" ] && tsort <"$edges" >/dev/null || failed=1

# The public functions.
! grep -ln '^cfi2sframe_[a-z_]* (' $(sources '*.c' \
  | grep -v '^src/convert/public\.c$') >&2 || failed=1
exit "${failed:-0}"
