#!/bin/bash
# makepkg: SFrame stack-trace data, before 50-strip splits debug files off.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Install as /usr/share/makepkg/tidy/45-sframe.sh; switch it on for all
# packages or one with
#   OPTIONS=(... sframe)          in makepkg.conf
#   options=(sframe)              in a PKGBUILD, (!sframe) to switch it off
# SFRAME_OPTIONS in makepkg.conf holds further options of cfi2sframe.  A file
# that cannot be converted is a note; with SFRAME_OPTIONS=--skip-unconvertible=no
# it is an error.

[[ -n "$LIBMAKEPKG_TIDY_SFRAME_SH" ]] && return
LIBMAKEPKG_TIDY_SFRAME_SH=1

MAKEPKG_LIBRARY=${MAKEPKG_LIBRARY:-'/usr/share/makepkg'}
source "$MAKEPKG_LIBRARY/util/message.sh"
source "$MAKEPKG_LIBRARY/util/option.sh"

packaging_options+=('sframe')
tidy_modify+=('tidy_sframe')

tidy_sframe() {
	check_option "sframe" "y" || return 0
	# A package without "strip" is to keep what the linker made.
	check_option "strip" "y" || return 0
	if ! type -p cfi2sframe >/dev/null; then
		warning "$(gettext "%s not found: no SFrame data")" "cfi2sframe"
		return 0
	fi
	msg2 "$(gettext "Adding SFrame data...")"

	# All files are in one call, so that hard links stay links.
	# shellcheck disable=SC2086,SC2154
	cfi2sframe --hook --root=. --package="$pkgname" ${SFRAME_OPTIONS} -r -- . || {
		# makepkg does not look at the status of a tidy function.
		error "$(gettext "A failure occurred in %s().")" "tidy_sframe"
		exit 1
	}
}
