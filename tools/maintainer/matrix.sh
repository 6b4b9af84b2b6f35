#!/bin/sh
# The whole regression matrix of the injection as a table (see
# tests/matrix/matrix.sh).  About two minutes.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: tools/maintainer/matrix.sh [BUILD_DIRECTORY] [BLOB_SIZE...]
# Needs a build with `make check TESTS=` done, or builds one.

cd "$(dirname "$0")/../.." || exit 1
. tools/common.sh

build=build
if [ $# -gt 0 ] && [ -d "$1" ]; then
  build=$1
  shift
fi
# shellcheck disable=SC2086
need_packages $build_packages g++ binutils lld mold llvm elfutils patchelf \
  musl-tools golang-go rustc || say "some tools are missing"
build_in "$build" || die "the build failed"
quietly make -C "$build" tests/matrix/inject_blob ||
  die "the test programs do not build"
srcdir=. builddir=$build
export srcdir builddir
exec sh tests/matrix/matrix.sh --full "${@:-3000}"
