#!/bin/sh
# The long form of tests/random_cfi: 1000 programs per machine, or as many as
# said.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: tools/maintainer/random_cfi.sh [PROGRAMS [SEED [BUILDDIR]]]
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${3:-$root/build}" && pwd)
make -C "$build" src/cfi2sframe tests/random_cfi/generate \
  tests/random_cfi/against_readelf >/dev/null
make -C "$build" tests/oracle/oracle >/dev/null 2>&1 || true
cd "$build"
exec sh "$root/tests/random_cfi/random_cfi.sh" "${1:-1000}" "${2:-1}"
