#!/bin/sh
# Write an HTML page about the .sframe sections of a tree: how large they are
# in proportion to .eh_frame, and how much of the code they cover, by package.
#
#   tools/maintainer/size-report.sh [-o PAGE] [CFI2SFRAME-OPTION]... DIR
#
# DIR stays as it is (cfi2sframe --dry-run).  The page is self-contained and
# needs no script.  Packages are those of dpkg where it knows the files, else
# the folders in DIR.  $CFI2SFRAME names the program (default: the one built
# in ./build, or the one in $PATH).
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
. "$here/../common.sh"
page=size-report.html
if [ "${1-}" = -o ]; then
  page=${2:?size-report.sh: -o needs a file name}
  shift 2
fi
if [ $# -eq 0 ]; then
  echo "usage: size-report.sh [-o PAGE] [CFI2SFRAME-OPTION]... DIR" >&2
  exit 2
fi
command -v python3 >/dev/null || die "python3 not found"
if [ -z "${CFI2SFRAME-}" ]; then
  CFI2SFRAME=$here/../../build/src/cfi2sframe
  [ -x "$CFI2SFRAME" ] || CFI2SFRAME=cfi2sframe
fi
for directory; do :; done

stats=$(mktemp) || exit 1
trap 'rm -f "$stats"' EXIT
# Files that fail are part of the report.
"$CFI2SFRAME" --dry-run --replace --recursive --stats=json "$@" >"$stats" \
  2>/dev/null
if ! [ -s "$stats" ]; then
  "$CFI2SFRAME" --dry-run --recursive "$@" >/dev/null
  die "nothing to report"
fi
python3 "$here/size_report.py" "$directory" "$("$CFI2SFRAME" --version)" \
  "$stats" >"$page.new" && mv "$page.new" "$page" || exit 1
echo "$page"
