# Portage: SFrame stack-trace data for everything that is installed.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Source this from /etc/portage/bashrc, or install it as
# /etc/portage/bashrc.d/sframe.sh with a bashrc that sources the folder.
# Portage strips after src_install, so the section is there in time.
# RESTRICT=strip packages (binary ones, often signed) are left alone, and so
# is everything when SFRAME=no is set, for instance in package.env.

post_src_install() {
	[[ ${SFRAME:-yes} == no ]] && return
	[[ " ${RESTRICT} " == *" strip "* ]] && return
	if ! type -P cfi2sframe >/dev/null; then
		ewarn "cfi2sframe not found: no SFrame data"
		return
	fi
	local name inode
	local -A first=()
	while IFS= read -rd '' name; do
		[[ $(head -c 4 "${name}" | tr -d '\0') == $'\x7fELF' ]] || continue
		inode=$(stat -c %d:%i -- "${name}")
		if [[ -n ${first[${inode}]} ]]; then
			ln -f -- "${first[${inode}]}" "${name}" || die
			continue
		fi
		cfi2sframe ${SFRAME_OPTIONS} -- "${name}" \
			|| die "cfi2sframe failed on ${name#"${D}"}"
		first[${inode}]=${name}
	done < <(find "${D}" -type f -print0 | LC_ALL=C sort -z)
}
