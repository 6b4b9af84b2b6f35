# Yocto: SFrame stack-trace data before the debug files are split off.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Needs a recipe cfi2sframe with BBCLASSEXTEND = "native".  In local.conf:
#   INHERIT += "sframe"
# SFRAME_OPTIONS holds options of cfi2sframe; a recipe opts out with
#   INHIBIT_SFRAME = "1"

SFRAME_OPTIONS ?= ""
INHIBIT_SFRAME ?= "${@d.getVar('INHIBIT_PACKAGE_STRIP') or ''}"

DEPENDS:append:class-target = " cfi2sframe-native"

# package.bbclass runs these functions on ${PKGD} before it splits and strips.
PACKAGE_PREPROCESS_FUNCS:append:class-target = " sframe_package_preprocess"

sframe_package_preprocess () {
    if [ "${INHIBIT_SFRAME}" = "1" ]; then
        return
    fi
    find "${PKGD}" -type f ! -path '*/.debug/*' -print | LC_ALL=C sort |
    while IFS= read -r name; do
        case $(head -c 4 "$name" | tr -d '\000') in
            ?ELF) ;;
            *) continue ;;
        esac
        # Hard links: rewriting in place would part them.
        if [ "$(stat -c %h "$name")" -gt 1 ]; then
            cfi2sframe ${SFRAME_OPTIONS} -o "$name.sframe" -- "$name"
            if [ -e "$name.sframe" ]; then
                cat "$name.sframe" > "$name"
                rm -f "$name.sframe"
            fi
        else
            cfi2sframe ${SFRAME_OPTIONS} -- "$name"
        fi
    done
}
