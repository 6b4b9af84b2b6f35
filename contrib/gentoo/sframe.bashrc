# shellcheck shell=bash
# Portage: SFrame stack-trace data for everything that is installed.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Source this from /etc/portage/bashrc, or install it as
# /etc/portage/bashrc.d/sframe.sh with a bashrc that sources the folder.
# If the bashrc has a post_src_install of its own, have that call
# sframe_src_install, and define it behind this: Bash keeps the last one.
# Portage strips after src_install, so the section is there in time.
# RESTRICT=strip packages (binary ones, often signed) are left alone, and so
# is everything when SFRAME=no is set, for instance in package.env.
# SFRAME_OPTIONS holds further options of cfi2sframe.  A file that cannot be
# converted is a note; with SFRAME_OPTIONS=--skip-unconvertible=no it is an error.

post_src_install() {
	sframe_src_install
}

sframe_src_install() {
	[[ ${SFRAME:-yes} == no ]] && return
	[[ " ${RESTRICT} " == *" strip "* ]] && return
	if ! type -P cfi2sframe >/dev/null; then
		ewarn "cfi2sframe not found: no SFrame data"
		return
	fi
	# All files are in one call, so that hard links stay links.
	# shellcheck disable=SC2086
	cfi2sframe --hook --root="${D}" --package="${PN}" \
		${SFRAME_OPTIONS} -r -- "${D}" \
		|| die "cfi2sframe failed"
}
