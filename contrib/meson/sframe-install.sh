#!/bin/sh
# Meson install script: sframe-install.sh CFI2SFRAME NAME...
# NAMEs are relative to the prefix, or begin with a slash, as get_option('libdir')
# does if it is outside of the prefix.
# SFRAME_OPTIONS in the environment holds further options of cfi2sframe.  A file
# that cannot be converted (32-bit, another machine) is a note; with
# SFRAME_OPTIONS=--skip-unconvertible=no it is an error.
# SPDX-License-Identifier: LGPL-2.1-or-later
set -eu
program=$1
shift
[ $# -gt 0 ] || exit 0
for name; do
  case $name in
    /*) set -- "$@" "${DESTDIR-}$name" ;;
    *) set -- "$@" "$MESON_INSTALL_DESTDIR_PREFIX/$name" ;;
  esac
  shift
done
# All files are in one call, so that hard links stay links.
# shellcheck disable=SC2086
exec "$program" --hook --root="${DESTDIR-}" ${SFRAME_OPTIONS-} -- "$@"
