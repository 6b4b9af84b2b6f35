#!/bin/sh
# GNU's own reader, libsframe 3, as one more referee:
#   - every row of some files, in V3 and V2 and in three layouts, looked up by
#     it;
#   - the stacks of living programs walked with it.
#   sh tools/maintainer/libsframe.sh [-b BUILD] [-l LIBRARY] [FILE...]
#     -b BUILD    build tree, after make check (default: build)
#     -l LIBRARY  libsframe.so.3; default: that of Debian's unstable
#                 distribution, fetched with apt into a folder of its own
# Not part of check.sh: it may need the network.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$srcdir/tools/common.sh"
. "$srcdir/tools/maintainer/suite-apt.sh"

build=build library=
while getopts b:l: option; do
  case $option in
    b) build=$OPTARG ;;
    l) library=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd) || die "no build tree"
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

fetch ()
{
  work=$scratch log=$scratch/log
  suite_prepare sid && (cd "$scratch" \
    && suite_apt sid apt-get download libsframe3) >>"$log" 2>&1 || {
    cat "$log" >&2
    die "libsframe3 cannot be fetched"
  }
  dpkg-deb -x "$scratch"/libsframe3_*.deb "$scratch/root"
  library=$(find "$scratch/root" -name libsframe.so.3 | head -n 1)
}

[ -n "$library" ] || fetch
[ -e "$library" ] || die "no libsframe.so.3"
make -C "$build" -s tests/clients/foreign_check || die "cannot be built"
[ -x "$build/tests/living/living" ] \
  || die "$build/tests/living/living: not built (make check builds it)"

[ $# -gt 0 ] || set -- /bin/bash /usr/bin/git /lib/*-linux-gnu/libc.so.6 \
  /usr/lib/*-linux-gnu/libstdc++.so.6 /usr/lib/*-linux-gnu/libcrypto.so.3
status=0
# Not 2.0: sframe_find_fre of libsframe 3 takes starts of functions for relative
# to themselves whatever the section's flag says, and finds hardly anything.
for format in 3 2; do
  for file in "$@"; do
    [ -e "$file" ] || continue
    for layout in "" --compact --no-split; do
      # shellcheck disable=SC2086
      "$build/src/cfi2sframe" --format=$format $layout -q \
        -o "$scratch/out" "$file" || continue
      "$build/tests/clients/foreign_check" "$library" "$scratch/out" \
        >"$scratch/answer" || status=1
      sed "s|^[^:]*|V$format $file $layout|" "$scratch/answer"
    done
  done
done
LIVING_READER=$library
export srcdir LIVING_READER
(cd "$build" \
  && sh "$srcdir/tests/living/living.sh") >"$scratch/tap" || status=1
cat "$scratch/tap"
if grep -q '^not ok' "$scratch/tap"; then
  status=1
fi
exit $status
