#!/bin/bash
# A power cut while a file is written in place: whatever subset of the writes
# since the last flush has reached the disk, the file is old, new, or what
# undoing makes good.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: power_cut.sh [BUILDDIR]
#
# power_cut.c says how; it is part of tests/faults/rewrite.  Prints TAP.

builddir=$(cd "${1:-.}" && pwd) || exit 99
rewrite=$builddir/tests/faults/rewrite
program=$builddir/src/cfi2sframe

dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
cd "$dir" || exit 99

count=0
failures=0
# cut TITLE FILE ARGUMENT...: rewrite a copy of FILE.
cut_power ()
{
  local title=$1 file=$2 output
  shift 2
  cp "$file" f && chmod u+w f
  count=$((count + 1))
  if output=$("$rewrite" -i -c "$@" f 2>&1); then
    echo "ok $count - $title: ${output%%$'\n'*}"
  else
    failures=$((failures + 1))
    echo "not ok $count - $title"
    echo "$output" | sed 's/^/# /'
  fi
}

original=$(PATH=/usr/bin:/bin type -P true)
strip -o stripped "$original"
for file in "$original" stripped; do
  name=${file##*/}
  # Sizes: into the slack, behind the end, a record of many sectors.
  for size in 60 3000 60000; do
    cut_power "$name: inject $size bytes" "$file" -s $size inject
  done
done
cp "$original" here && chmod u+w here && "$program" --in-place-write here
cut_power "undo of what was written in place" here undo
cp "$original" beside && chmod u+w beside && "$program" beside
cut_power "undo of what was written as a new file" beside undo
# A section without a record, as a linker makes it.
strip -o foreign beside
cut_power "replace" foreign -s 20000 replace
cut_power "replace in the same place" foreign -s 200 replace
cut_power "remove" foreign remove

echo "1..$count"
[ $failures -eq 0 ]
