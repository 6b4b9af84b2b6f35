# Yocto: SFrame stack-trace data before the debug files are split off.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Needs a recipe cfi2sframe with BBCLASSEXTEND = "native".  In local.conf:
#   INHERIT += "sframe"
# SFRAME_OPTIONS holds further options of cfi2sframe; a recipe opts out with
#   INHIBIT_SFRAME = "1"
# A file that cannot be converted is a note; it is an error with
#   SFRAME_OPTIONS = "--skip-unconvertible=no"
# SFRAME_CONFIG is a file of settings in place of the build machine's
# /etc/cfi2sframe.conf; its contents count for the shared state.

SFRAME_OPTIONS ?= ""
SFRAME_CONFIG ?= ""
do_package[file-checksums] += "${@'${SFRAME_CONFIG}:True' if d.getVar('SFRAME_CONFIG') else ''}"
INHIBIT_SFRAME ?= "${@d.getVar('INHIBIT_PACKAGE_STRIP') or ''}"

DEPENDS:append:class-target = " cfi2sframe-native"

# package.bbclass runs these functions on ${PKGD} before it splits and strips.
PACKAGE_PREPROCESS_FUNCS:append:class-target = " sframe_package_preprocess"

sframe_package_preprocess () {
    if [ "${INHIBIT_SFRAME}" = "1" ]; then
        return
    fi
    # All files are in one call, so that hard links stay links.
    CFI2SFRAME_CONFIG=${SFRAME_CONFIG} cfi2sframe --hook \
        --root="${PKGD}" --package="${PN}" ${SFRAME_OPTIONS} \
        --exclude=.debug -r -- "${PKGD}"
}
