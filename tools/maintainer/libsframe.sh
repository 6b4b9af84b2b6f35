#!/bin/sh
# Does GNU's reader, libsframe 3, read what cfi2sframe writes?
#   sh tools/maintainer/libsframe.sh [-b BUILD] [-l LIBRARY] [FILE...]
#     -b BUILD    build tree, after make check (default: build)
#     -l LIBRARY  libsframe.so.3 (default: that of Debian's unstable distribution,
#                 downloaded into a folder of its own)
# libsframe looks up every row of each FILE (default: bash, git, libc, libstdc++,
# libcrypto), in V3 and V2 and in three layouts each, and walks the stacks of living
# programs (TAP).  Prints a line for each file and way; minutes.
# For example: sh tools/maintainer/libsframe.sh /bin/ls
# Exit status: 0 no difference, 1 a difference, 2 something is missing.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"
die_status=2

build='' library=
while getopts b:l: option; do
  case $option in
    b) build=$OPTARG ;;
    l) library=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
find_build "$build"
make_work libsframe
log=$work/log

if [ -z "$library" ]; then
  suite_download sid "$work" libsframe3 || {
    cat "$log" >&2
    die "libsframe3 cannot be fetched"
  }
  dpkg-deb -x "$work"/libsframe3_*.deb "$work/root"
  library=$(find "$work/root" -name libsframe.so.3 | head -n 1)
fi
library=$(readlink -e "$library") || die "no libsframe.so.3"
make -C "$build" -s tests/clients/foreign_check || die "cannot be built"
[ -x "$build/tests/living/living" ] \
  || die "$build/tests/living/living: not built (make check builds it)"

[ $# -gt 0 ] || set -- /bin/bash /usr/bin/git /lib/*-linux-gnu/libc.so.6 \
  /usr/lib/*-linux-gnu/libstdc++.so.6 /usr/lib/*-linux-gnu/libcrypto.so.3
status=0
# Format 2.0 is left out: sframe_find_fre of libsframe 3 takes starts of functions for
# relative to their own fields, whatever the section's flag says, and finds hardly
# anything.
for format in 3 2; do
  for file in "$@"; do
    [ -e "$file" ] || continue
    for layout in "" --compact --no-split; do
      # shellcheck disable=SC2086
      "$build/src/cfi2sframe" --format=$format $layout -q \
        -o "$work/out" "$file" || continue
      "$build/tests/clients/foreign_check" "$library" "$work/out" \
        >"$work/answer" || status=1
      sed "s|^[^:]*|V$format $file $layout|" "$work/answer"
    done
  done
done
LIVING_READER=$library srcdir=$top
export srcdir LIVING_READER
(cd "$build" \
  && sh "$top/tests/living/living.sh") >"$work/tap" || status=1
cat "$work/tap"
if grep -q '^not ok' "$work/tap"; then
  status=1
fi
exit $status
