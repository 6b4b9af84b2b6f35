#!/bin/sh
# The commands in the manual work.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs the lines of examples that begin with "$ ", in order, in an empty
# folder with the program as built in front of PATH.

srcdir=$(cd "${srcdir-.}" && pwd)
program=${CFI2SFRAME-$PWD/src/cfi2sframe}
temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
trap 'exit 99' HUP INT TERM
PATH=$(dirname "$program"):$PATH
cd "$temporary" || exit 1

sed -n 's/^\$ //p' "$srcdir"/doc/use/cfi2sframe.texi "$srcdir"/doc/use/size.texi \
  "$srcdir"/doc/use/differences.texi \
  | sed 's/@@/@/g; s/@{/{/g; s/@}/}/g' >commands
count=$(wc -l <commands)
echo "1..$((count + 1))"
number=0
while IFS= read -r command; do
  number=$((number + 1))
  if sh -c "$command" >output 2>&1 </dev/null; then
    echo "ok $number - $command"
  else
    echo "not ok $number - $command"
    sed 's/^/# /' output
  fi
done <commands
if [ "$count" -ge 15 ]; then
  echo "ok $((count + 1)) - the manual has $count commands"
else
  echo "not ok $((count + 1)) - the manual has only $count commands"
fi
