#!/bin/sh
# The CFI of a dozen programs and libraries of the system, compared with what
# the analysis makes of their code without seeing it: nothing may differ, and
# nearly all has to be found.  C and C++ by GCC only: assembler and LLVM have
# errors in their CFI (analysis/cfi-errors.md).
# SPDX-License-Identifier: LGPL-2.1-or-later

files="/bin/bash /bin/ls /bin/tar /bin/sed /usr/bin/make /usr/bin/git
  /usr/bin/gdb /usr/bin/perl /usr/bin/python3 /usr/bin/as /usr/bin/ld.bfd
  /usr/bin/readelf"

. "${srcdir:=.}/tests/tap.sh"
has_zydis || skip_all "built without Zydis"
echo "1..13"
compared=0
for file in $files; do
  file=$(readlink -f "$file")
  if [ ! -f "$file" ]; then
    echo "ok - ${file##*/} # SKIP not installed"
    continue
  fi
  line=$(tests/analysis/hidden_cfi "$file")
  status=$?
  percent=$(printf '%s\n' "$line" | sed -n 's/.* equal \([0-9]*\).*/\1/p')
  if [ "$status" -eq 0 ] && [ "${percent:-0}" -ge 90 ]; then
    echo "ok - ${file##*/}"
    compared=$((compared + 1))
  else
    echo "not ok - ${file##*/}"
  fi
  printf '# %s\n' "$line"
done
[ "$compared" -gt 0 ] || printf 'not '
echo "ok - something was compared"
