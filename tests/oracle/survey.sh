#!/bin/sh
# A dozen files of this system through the oracle, in every format.  The long
# form is tools/maintainer/survey.sh /usr.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"

if [ ! -x tests/oracle/oracle ]; then
  echo "1..0 # SKIP libdw not found (Debian: apt-get install libdw-dev)"
  exit 0
fi
if ! command -v python3 >/dev/null; then
  echo "1..0 # SKIP python3 not found"
  exit 0
fi

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

echo "1..4"
n=0
for format in 3 2 2.0 1; do
  n=$((n + 1))
  # shellcheck disable=SC2086
  if output=$(sh "$srcdir/tools/maintainer/survey.sh" -b . -f "$format" $files 2>&1); then
    echo "ok $n - no wrong row in format $format"
  else
    echo "not ok $n - no wrong row in format $format"
  fi
  printf '%s\n' "$output" | sed 's/^/# /'
done
