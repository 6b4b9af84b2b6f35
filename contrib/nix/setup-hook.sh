# shellcheck shell=bash
# Nixpkgs setup hook: SFrame stack-trace data before the fixup phase strips.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In the package of cfi2sframe:
#   setupHook = ./setup-hook.sh;
# A derivation opts in with
#   nativeBuildInputs = [ cfi2sframe ];
# and out with
#   dontSframe = true;
# sframeFlags holds further options of cfi2sframe.  A file that cannot be
# converted is a note; with sframeFlags = "--skip-unconvertible=no" it is an error.
# sframeConfig is a file of settings in place of /etc/cfi2sframe.conf, which no
# derivation may depend on.

# fixupPhase runs the preFixupHooks before it strips the outputs.
preFixupHooks+=(sframeOutputs)

sframeOutputs() {
    [ -z "${dontSframe-}" ] || return 0
    [ -z "${dontStrip-}" ] || return 0
    local output
    local -a folders=() flags=()
    for output in $(getAllOutputNames); do
        [ ! -d "${!output}" ] || folders+=("${!output}")
    done
    [ ${#folders[@]} -gt 0 ] || return 0
    # A list of Nix: an array with __structuredAttrs, otherwise text.
    # shellcheck disable=SC2154,SC2206
    case $(declare -p sframeFlags 2>/dev/null) in
        "declare -a"*) flags=("${sframeFlags[@]}") ;;
        *) flags=(${sframeFlags-}) ;;
    esac
    # All files are in one call, so that hard links stay links.  There is no --root:
    # outputs are built where they are used, so settings name paths in the store.
    CFI2SFRAME_CONFIG=${sframeConfig-} cfi2sframe --hook \
        --package="${pname-}" "${flags[@]}" -r -- "${folders[@]}"
}
