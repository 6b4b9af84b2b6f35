#!/bin/sh
# How large are the folders of the source, and how long their functions?
#   sh tools/maintainer/folders.sh [TREE]     (default: the tree of this script)
# Prints a line for each folder: files, lines; the lengths of its functions (median,
# the length that nine tenths do not exceed, the longest; the lines between the
# braces); by how many folders its headers are included, and of how many it includes
# some.  1 s.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
no_options "$@"
LC_ALL=C
export LC_ALL
cd "${1:-$top}"

# shellcheck disable=SC2086
find $product_folders -name '*.[ch]' \
  ! -path '*/examples/*' | sort | xargs awk '
  function put (folder)
  {
    printf "%-15s %5d %6d %6d %4d %4d %4d %4d\n", folder, files[folder],
      lines[folder], at(folder, 0.5), at(folder, 0.9), at(folder, 1),
      users[folder], used[folder] | (folder == "all" ? "cat" : "sort")
  }
  # The length that the share PART of the functions of FOLDER does not exceed.
  function at (folder, part,    n, length_)
  {
    n = 0
    for (length_ = 0; length_ <= 500; length_++)
      {
        n += lengths[folder, length_]
        if (n > 0 && n >= part * functions[folder])
          return length_
      }
    return 0
  }
  FNR == 1 {
    own = FILENAME
    sub(/^src\//, "", own)
    sub(/\/[^\/]*$/, "", own)
    files[own]++
    files["all"]++
    start = 0
  }
  { lines[own]++; lines["all"]++ }
  /^#include "[a-z\/-]*\// {
    other = substr($2, 2)
    sub(/\/[^\/]*$/, "", other)
    if (other != own && !seen[own, other]++)
      {
        used[own]++
        users[other]++
      }
  }
  /^{/ { start = FNR }
  /^};/ { start = 0 }
  /^}$/ && start && FILENAME ~ /c$/ {
    size = FNR - start - 1
    lengths[own, size]++
    lengths["all", size]++
    functions[own]++
    functions["all"]++
    start = 0
  }
  END {
    print "folder          files  lines median  90%  max   in  out"
    for (folder in files)
      if (folder != "all")
        put(folder)
    close("sort")
    put("all")
  }'
