#!/bin/sh
# The long form of tests/plain_fdes: all files of a system.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: tools/maintainer/plain-fdes.sh [DIRECTORY...], default /usr; BUILDDIR=build
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${BUILDDIR:-$root/build}" && pwd)
make -C "$build" tests/plain_fdes/against_libdwarf >/dev/null
[ $# -gt 0 ] || set -- /usr
cd "$build"
exec sh "$root/tests/plain_fdes/plain_fdes.sh" "$@"
