#!/bin/bash
# makepkg: SFrame stack-trace data, before 50-strip splits debug files off.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Install as /usr/share/makepkg/tidy/45-sframe.sh; switch it on for all
# packages or one with
#   OPTIONS=(... sframe)          in makepkg.conf
#   options=(sframe)              in a PKGBUILD, (!sframe) to switch it off
# SFRAME_OPTIONS in makepkg.conf holds further options of cfi2sframe.

[[ -n "$LIBMAKEPKG_TIDY_SFRAME_SH" ]] && return
LIBMAKEPKG_TIDY_SFRAME_SH=1

MAKEPKG_LIBRARY=${MAKEPKG_LIBRARY:-'/usr/share/makepkg'}
source "$MAKEPKG_LIBRARY/util/message.sh"
source "$MAKEPKG_LIBRARY/util/option.sh"

packaging_options+=('sframe')
tidy_modify+=('tidy_sframe')

tidy_sframe() {
	check_option "sframe" "y" || return 0
	# "strip" off is a wish to keep what the linker made.
	check_option "strip" "y" || return 0
	if ! type -p cfi2sframe >/dev/null; then
		warning "$(gettext "%s not found: no SFrame data")" "cfi2sframe"
		return 0
	fi
	msg2 "$(gettext "Adding SFrame data...")"

	local name inode
	local -A first=()
	while IFS= read -rd '' name; do
		[[ $(head -c 4 "$name" | tr -d '\0') == $'\x7fELF' ]] || continue
		inode=$(stat -c %d:%i -- "$name")
		if [[ -n ${first[$inode]} ]]; then
			ln -f -- "${first[$inode]}" "$name"
			continue
		fi
		cfi2sframe ${SFRAME_OPTIONS} -- "$name" || return 1
		first[$inode]=$name
	done < <(find . -type f -print0 | LC_ALL=C sort -z)
}
