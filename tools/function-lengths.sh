#!/bin/sh
# Print how long functions are, per folder: their number, median, 90th
# percentile and longest, in lines from brace to brace.
#   sh tools/function-lengths.sh [FOLDER]...      (default: src/*)
# A body is what lies between a `{' and a `}' in column 0, as clang-format
# leaves it in GNU style.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- src/*/
printf '%-14s %9s %6s %5s %4s  %s\n' folder functions median p90 max longest
for folder; do
  find "$folder" -name '*.[ch]' -exec awk '
    /^[a-z_0-9]+ \(/ { name = $1 }
    /^\{/ { begin = name == "" ? 0 : FNR }
    /^\}$/ && begin { print FNR - begin - 1, name; begin = 0 }
    /^\}/ { name = "" }' {} + | sort -n | awk -v folder="${folder%/}" '
    { length_of[NR] = $1; name = $2 }
    END { if (NR > 0)
      printf "%-14s %9d %6d %5d %4d  %s\n", folder, NR,
        length_of[int((NR + 1) / 2)], length_of[int((NR * 9 + 9) / 10)],
        length_of[NR], name }'
done
