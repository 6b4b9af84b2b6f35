#!/bin/sh
# The short form of the matrix, for make check.
# SPDX-License-Identifier: LGPL-2.1-or-later

: "${srcdir:=.}"
builddir=$(pwd)
export srcdir builddir
exec sh "$srcdir/tests/matrix/matrix.sh" --tap 3000
