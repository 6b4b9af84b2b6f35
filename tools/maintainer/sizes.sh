#!/bin/sh
# How large .sframe is, as GNU as and ld write it and as cfi2sframe does: the
# figures of doc/formats/smaller.md.
#
#   tools/maintainer/sizes.sh DIR...            all programs and libraries below
#   tools/maintainer/sizes.sh -p PACKAGE...     those of Debian packages, which
#                                               are fetched by apt-get download
#   tools/maintainer/sizes.sh -s FILE...        and smaller.py on what GNU writes
#                                               for FILE (slow: it is Python)
#
# Sizes are sums over files, relative to .eh_frame and .eh_frame_hdr.  GNU's
# sections are those of cfi2sframe --gnu, which tests/cli/gnu.bats holds against
# GNU as and ld byte for byte.  $CFI2SFRAME names the program.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
: "${CFI2SFRAME:=$here/build/src/cfi2sframe}"
[ $# -gt 0 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

if [ "$1" = -s ]; then
  shift
  for file; do
    "$CFI2SFRAME" --gnu --replace -o "$work/gnu" "$file"
    for across in "" --across; do
      # shellcheck disable=SC2086
      python3 "$here/conformance/smaller.py" $across "$work/gnu" \
        | sed "s|^[^:]*|$file${across:+, across functions}|"
    done
  done
  exit
fi
if [ "$1" = -p ]; then
  shift
  (cd "$work" && apt-get -qq download "$@")
  for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$work/tree"
  done
  set -- "$work/tree"
fi

for way in --gnu "" --compact; do
  # Files that fail are not counted.
  # shellcheck disable=SC2086
  "$CFI2SFRAME" $way --dry-run --replace --recursive --stats=json "$@" \
    2>/dev/null | python3 -c '
import json, sys
files = cfi = sframe = 0
for line in sys.stdin:
    report = json.loads(line)
    if report.get("file") and report.get("sframe_bytes"):
        files += 1
        cfi += report["eh_frame_bytes"] + report["eh_frame_hdr_bytes"]
        sframe += report["sframe_bytes"]
print("%-10s %5d files  %11d bytes of CFI  %11d of .sframe  %.3f"
      % (sys.argv[1] or "default", files, cfi, sframe, sframe / max(cfi, 1)))
' "$way"
done
