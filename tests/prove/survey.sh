#!/bin/sh
# A dozen files of this system, proved in every format.  The long form is tools/maintainer/survey.sh /usr.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
. "$srcdir/tests/tap.sh"
[ -x prove/sframe-prove ] || skip_all "$without_libdw"
command -v python3 >/dev/null || skip_all "python3 not found"

files=
for file in /bin/bash /usr/bin/git /usr/bin/python3 /usr/bin/perl \
  /usr/bin/gdb /usr/bin/openssl /lib64/ld-linux-x86-64.so.2 \
  /lib/*-linux-gnu/libc.so.6 /lib/*-linux-gnu/libm.so.6 \
  /usr/lib/*-linux-gnu/libstdc++.so.6 /usr/lib/*-linux-gnu/libcrypto.so.3 \
  /usr/lib/*-linux-gnu/libgmp.so.10 /lib/*-linux-gnu/libgcc_s.so.1; do
  if [ -f "$file" ]; then
    files="$files $file"
  fi
done

for format in 3 2 2.0 1; do
  status="not ok"
  # shellcheck disable=SC2086
  output=$(sh "$srcdir/tools/maintainer/survey.sh" -b . -f "$format" $files 2>&1) \
    && status=ok
  result "$status" "no wrong row in format $format"
  printf '%s\n' "$output" | sed 's/^/# /'
done
echo "1..$n"
