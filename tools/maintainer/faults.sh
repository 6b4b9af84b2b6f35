#!/bin/sh
# The long form of tests/faults: a fault at every single system call.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: tools/maintainer/faults.sh [BUILDDIR], BUILDDIR defaults to build.
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
make -C "$build" tests/faults/rewrite >/dev/null
exec bash "$root/tests/faults/faults.sh" --full "$build"
