# Nixpkgs setup hook: SFrame stack-trace data before the fixup phase strips.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In the package of cfi2sframe:
#   setupHook = ./setup-hook.sh;
# A derivation opts in with
#   nativeBuildInputs = [ cfi2sframe ];
# and out with
#   dontSframe = true;
# sframeFlags holds options of cfi2sframe.

# fixupPhase runs the preFixupHooks before it strips the outputs.
preFixupHooks+=(sframeOutputs)

sframeOutputs() {
    [ -z "${dontSframe-}" ] || return 0
    [ -z "${dontStrip-}" ] || return 0
    local output
    for output in $(getAllOutputNames); do
        sframeFolder "${!output}"
    done
}

sframeFolder() {
    [ -d "$1" ] || return 0
    local name inode
    local -A first=()
    while IFS= read -r -d '' name; do
        isELF "$name" || continue
        inode=$(stat -c %d:%i -- "$name")
        if [ -n "${first[$inode]-}" ]; then
            ln -f -- "${first[$inode]}" "$name"
            continue
        fi
        # shellcheck disable=SC2086
        cfi2sframe ${sframeFlags-} -- "$name"
        first[$inode]=$name
    done < <(find "$1" -type f -print0 | LC_ALL=C sort -z)
}
