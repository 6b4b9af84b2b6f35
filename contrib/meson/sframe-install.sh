#!/bin/sh
# Meson install script: sframe-install.sh CFI2SFRAME NAME...
# Names are relative to the prefix; MESON_INSTALL_DESTDIR_PREFIX is Meson's.
# SFRAME_OPTIONS in the environment holds further options of cfi2sframe.
# A file that cannot be converted (32-bit, another machine) is a note; with
# --skip-unconvertible=no in there it is an error.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu
program=$1
shift
for name in "$@"; do
  # shellcheck disable=SC2086
  "$program" --hook --root="${DESTDIR-}" ${SFRAME_OPTIONS-} \
    -- "$MESON_INSTALL_DESTDIR_PREFIX/$name"
done
