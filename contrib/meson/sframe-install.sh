#!/bin/sh
# Meson install script: sframe-install.sh CFI2SFRAME NAME...
# Names are relative to the prefix; MESON_INSTALL_DESTDIR_PREFIX is Meson's.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu
program=$1
shift
for name in "$@"; do
  "$program" -- "$MESON_INSTALL_DESTDIR_PREFIX/$name"
done
