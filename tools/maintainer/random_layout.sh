#!/bin/sh
# Programs linked in N random ways, converted and changed by other tools (see
# tests/matrix/random_layout.sh).  About two seconds each.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: tools/maintainer/random_layout.sh [-b BUILD] [N [FIRST_SEED]]
# RANDOM_LAYOUT_DIR, when set, keeps the programs of the seeds that fail.

cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh

build=build
if [ "$1" = -b ]; then
  build=$2
  shift 2
fi
# shellcheck disable=SC2086
need_packages $build_packages binutils lld mold llvm elfutils patchelf \
  qemu-user gcc-aarch64-linux-gnu gcc-s390x-linux-gnu ||
  say "some tools are missing"
build_in "$build" || die "the build failed"
srcdir=. builddir=$build
export srcdir builddir
exec sh tests/matrix/random_layout.sh "${@:-2000}"
