#!/bin/sh
# The CFI of aarch64 code that the source has, compared with what the analysis
# makes of that code without seeing it, on any machine: with the ranges of
# functions given, and with nothing given at all.
# SPDX-License-Identifier: LGPL-2.1-or-later

: "${srcdir:=.}"
file=$srcdir/tests/data/code/lua-aarch64
n=0 status=0
echo "1..2"

# compare NAME LEAST [OPTION]: nothing differs, and LEAST percent are equal.
compare ()
{
  n=$((n + 1))
  # shellcheck disable=SC2086
  if line=$(tests/analysis/hidden_cfi $3 "$file") \
    && percent=${line#* equal } && [ "${percent%%.*}" -ge "$2" ]; then
    echo "ok $n - $1"
  else
    echo "not ok $n - $1"
    status=1
  fi
  printf '# %s\n' "$line"
}

compare "ranges of functions given" 93
compare "nothing given" 35 -e
exit $status
