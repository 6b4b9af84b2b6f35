#!/bin/sh
# A table of the folders of the source: files, lines, the lengths of functions, and
# how many other folders each one includes headers of and is included by.
#   sh tools/maintainer/folders.sh [TREE]        (default: the tree that this is in)
# Lengths are the lines between the braces of a function: median, nine tenths
# are no longer, the longest.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
LC_ALL=C
export LC_ALL
cd "${1:-$(dirname "$0")/../..}"
. tools/common.sh

find $product_folders -name '*.[ch]' \
  ! -path '*/examples/*' | sort | xargs awk '
  function put (folder)
  {
    printf "%-15s %5d %6d %6d %4d %4d %4d %4d\n", folder, files[folder],
      lines[folder], at(folder, 0.5), at(folder, 0.9), at(folder, 1),
      users[folder], used[folder] | (folder == "all" ? "cat" : "sort")
  }
  # The length that this part of the functions of FOLDER does not exceed.
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
