#!/bin/sh
# Debian packages of each product, from the committed files.
#   sh tools/maintainer/debs.sh [DIR]        (default: debs)
# Makes the packages in DIR and has lintian check them.  No test is run: .ci/run does
# that.  Needs debhelper, lintian and the build dependencies of debian/control; two
# minutes.  Prints the names of the packages.
# Exit status: 0 lintian finds nothing, 1 it does, or a package cannot be built.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
no_options "$@"
for program in dpkg-buildpackage dh lintian; do
  command -v $program >/dev/null || die "$program not found"
done
mkdir -p "${1:-debs}"
target=$(cd "${1:-debs}" && pwd)
make_work debs
cd "$work"
version=$(source_version)
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
