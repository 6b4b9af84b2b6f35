#!/bin/sh
# debs.sh [DIR]: Debian packages of each product in DIR (debs), of what is
# committed, and what lintian says of them: nothing, or this fails.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests are not run: .ci/run does that.  Needs debhelper, lintian and what
# debian/control builds with.

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tools/common.sh"
for program in dpkg-buildpackage dh lintian; do
  command -v $program >/dev/null || die "$program not found"
done
mkdir -p "${1:-debs}"
target=$(cd "${1:-debs}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
version=$(sed -n 's/^AC_INIT(\[cfi2sframe\], \[\(.*\)\]).*/\1/p' "$top/configure.ac")
name=cfi2sframe-$version
git -C "$top" archive --prefix="$name/" HEAD | tar -x
tar --sort=name --owner=0 --group=0 --numeric-owner \
  --exclude="$name/debian" -cJf "cfi2sframe_$version.orig.tar.xz" "$name"
(cd "$name" && DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" \
   quietly dpkg-buildpackage -us -uc)
lintian --allow-root --fail-on error,warning ./*.changes
rm -rf "$name"
mv ./* "$target"
(cd "$target" && ls ./*.deb)
