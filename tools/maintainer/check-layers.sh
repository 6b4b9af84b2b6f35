#!/bin/sh
# Does the source keep to the layers?  doc/develop/HACKING, "Layers", says what each
# folder may include, and is read here.
#   sh tools/maintainer/check-layers.sh [TREE]     (default: the tree of this script)
# Prints each violation; 1 s.  In an entry of the list
#   "Includes A, B and C; of D x and y alone."  names the folders that it includes
#     headers of, all of them above it, and of D those of two modules only;
#   "Other folders include x and y alone."  names its own modules that others see.
# Violations are also: a folder that an entry names and includes nothing of; two modules
# (NAME.c and NAME.h) of one folder that include each other's headers or call each
# other's functions, directly or through others; and a public function outside of
# convert/public.c.
# Exit status: 0 none, 1 some.
# SPDX-License-Identifier: LGPL-2.1-or-later

top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
no_options "$@"
cd "${1:-$top}" || exit 2
make_work layers

# The files of the source whose names match $1.
sources ()
{
  # shellcheck disable=SC2086
  find $product_folders -name "$1" 2>/dev/null | LC_ALL=C sort
}

# The list of HACKING as lines: "layer NAME", "includes NAME OTHER MODULE" (or * for
# all modules), and "door NAME MODULE" for a module that other folders see.
awk '
  # What follows WORDS in the entry of the layer, up to the end of the sentence.
  function sentence (layer, words,    text) {
    if (!match (said[layer], words " [^.]*\\.")) return ""
    text = substr (said[layer], RSTART + length (words), RLENGTH - length (words))
    gsub (/[^a-z0-9_\/;-]/, " ", text); gsub (/ (and|alone|nothing) /, " ", text)
    return text
  }
  function includes (layer,    n, i, j, m, part, word) {
    n = split (sentence(layer, "Includes"), part, ";")
    for (i = 1; i <= n; i++) {
      m = split (part[i], word, " ")
      for (j = word[1] == "of" ? 3 : 1; j <= m; j++)
        if (word[1] == "of") print "includes", layer, word[2], word[j]
        else print "includes", layer, word[j], "*"
    }
  }
  /^==/ { inside = previous == "Layers" }
  inside && /^  [a-z]/ { layers[++n] = layer = $1; $1 = "" }
  inside && n { gsub (/[ \t]+/, " "); said[layer] = said[layer] " " $0 }
  { previous = $0 }
  END {
    for (i = 1; i <= n; i++) {
      print "layer", layers[i]
      includes(layers[i])
      m = split (sentence(layers[i], "Other folders include"), word, " ")
      for (j = 1; j <= m; j++) print "door", layers[i], word[j]
    }
    exit n == 0
  }' doc/develop/HACKING >"$work/layers" || failed=1

sources '*.[ch]' | xargs awk '
  # The folder (without src/) and the module of a header or a file.
  function folder_of (name) { sub (/^src\//, "", name); sub (/\/[^\/]*$/, "", name); return name }
  function module_of (name) { sub (/.*\//, "", name); sub (/\.[ch]"?$/, "", name); return name }
  function complain (what) { print what >"/dev/stderr"; bad = 1 }
  NR == FNR {
    if ($1 == "layer") rank[$2] = ++n
    else if ($1 == "door") { has_door[$2] = 1; door[$2, $3] = 1 }
    else { may[$2, $3, $4] = 1; unused[$2 SUBSEP $3] = 1 }
    next
  }
  /^#include "[^"]*\// {
    own = folder_of(FILENAME)
    other = folder_of(substr ($2, 2)); module = module_of($2)
    if (own == other)
      print own "/" module_of(FILENAME), other "/" module
    else if (!((own, other, "*") in may) \
             && !((own, other, module) in may))
      complain(FILENAME ":" FNR ": " own " must not include " $2)
    if (own != other && other in has_door && !((other, module) in door))
      complain(FILENAME ":" FNR ": not for other folders: " $2)
    delete unused[own, other]
  }
  END {
    for (pair in may) {
      split (pair, name, SUBSEP)
      if (!(name[2] in rank) || rank[name[2]] >= rank[name[1]])
        complain("HACKING: " name[2] " is not above " name[1])
    }
    for (pair in unused) {
      split (pair, name, SUBSEP)
      complain("HACKING: " name[1] " includes nothing of " name[2])
    }
    exit bad
  }' "$work/layers" >"$work/edges" || failed=1
tsort <"$work/edges" >/dev/null || failed=1

# Which module uses functions of which.  A name that begins a line and is not static
# is a definition; a word elsewhere in the layer, outside of comments and strings, is
# a use.
sources '*.c' | xargs awk '
  FNR == 1 {
    module = substr (FILENAME, 1, length (FILENAME) - 2); comment = 0
    folder = module; sub (/^src\//, "", folder); sub (/\/[^\/]*$/, "", folder)
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
  }' | LC_ALL=C sort -u >"$work/edges"
[ -s "$work/edges" ] && tsort <"$work/edges" >/dev/null || failed=1

# The public functions are in convert/public.c alone.
sources '*.c' | grep -vx 'src/convert/public\.c' \
  | xargs grep -l '^cfi2sframe_[a-z_]* (' >"$work/public"
if [ -s "$work/public" ]; then
  cat "$work/public" >&2
  failed=1
fi
exit "${failed:-0}"
