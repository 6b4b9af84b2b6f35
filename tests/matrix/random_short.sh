#!/bin/sh
# A dozen random layouts, for make check; tools/maintainer/long.sh has more.
# SPDX-License-Identifier: LGPL-2.1-or-later

: "${srcdir:=.}"
builddir=$(pwd)
export srcdir builddir
exec sh "$srcdir/tests/matrix/random_layout.sh" --tap 12
