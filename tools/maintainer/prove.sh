#!/bin/sh
# Does sframe-prove find random changes of rows?  10,000 in ten files, in V3,
# V2 and with --compact in turn.
#   sh tools/maintainer/prove.sh [-b BUILD] [-n CHANGES] [FILE...]
#     -b BUILD     build tree (default: build)
#     -n CHANGES   of each file (default: 1000)
# The last line of each file says how many were not found.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$srcdir/tools/common.sh"

build=build changes=1000
while getopts b:n: option; do
  case $option in
    b) build=$OPTARG ;;
    n) changes=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd) || die "no build tree"
[ -x "$build/prove/sframe-prove" ] || die "sframe-prove was not built"
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

[ $# -gt 0 ] || set -- /bin/ls /bin/bash /bin/grep /bin/sed /bin/tar \
  /usr/bin/find /usr/bin/git /usr/bin/make /usr/bin/perl \
  /lib/x86_64-linux-gnu/libc.so.6
status=0 seed=0
for file in "$@"; do
  seed=$((seed + 1))
  case $((seed % 3)) in
    0) layout=--compact ;;
    1) layout=--format=3 ;;
    2) layout=--format=2 ;;
  esac
  "$build/src/cfi2sframe" -q $layout -o "$scratch/${file##*/}" "$file" \
    || { status=1; continue; }
  python3 "$srcdir/tests/prove/changes.py" "$build/prove/sframe-prove" \
    "$scratch/${file##*/}" "$changes" $seed || status=1
done
exit $status
