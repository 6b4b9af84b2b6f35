#!/bin/sh
# From a fresh clone to a converted program:
#   sh tools/quickstart.sh [FILE]
# installs what the build needs, builds in build/, converts a copy of FILE
# (the system's bash unless given), shows what that did, and runs the result.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
file=${1-$(command -v bash)}
[ -f "$file" ] || { echo "usage: sh tools/quickstart.sh [FILE]" >&2; exit 2; }
file=$(readlink -f "$file")
cd "$(dirname "$0")/.." || exit 1
. tools/common.sh

# Print a command, then its output, indented.
show ()
{
  say
  say "\$ $*"
  "$@" </dev/null 2>&1 | sed 's/^/  /'
}

# Run the original and the converted file the same way; the outputs must be
# the same.
run_both ()
{
  name=${file##*/}
  case $(readelf -lW "$file") in
    *INTERP*)
      how="$copy --version"
      before=$(timeout 30 "$file" --version 2>&1 </dev/null)
      before_status=$?
      after=$(timeout 30 "$copy" --version 2>&1 </dev/null) ;;
    *)
      [ "$(readelf -hW "$file" | sed -n 's/^ *Type: *\([A-Z]*\).*/\1/p')" \
        = DYN ] || { say "(not a program or library of this machine: not run)"
                     return 0; }
      how="LD_PRELOAD=$copy true"
      before=$(LD_PRELOAD=$file timeout 30 true 2>&1 </dev/null)
      before_status=$?
      after=$(LD_PRELOAD=$copy timeout 30 true 2>&1 </dev/null) ;;
  esac
  after_status=$?
  say
  say "\$ $how"
  [ -z "$after" ] || printf '%s\n' "$after" | sed -n '1,6s/^/  /p'
  before=$(printf '%s' "$before" | sed "s|$file|$name|g")
  after=$(printf '%s' "$after" | sed "s|$copy|$name|g")
  [ "$before" = "$after" ] && [ "$before_status" -eq "$after_status" ] \
    || die "$name behaves differently after conversion"
  say
  say "The same output and exit status ($after_status) as the original."
}

# shellcheck disable=SC2086
need_packages $build_packages || die "cannot install what the build needs"
build_in build || exit 1

tool=build/src/cfi2sframe
mkdir -p build/quickstart
copy=$PWD/build/quickstart/${file##*/}
cp "$file" "$copy" && chmod u+w "$copy" || exit 1

say "\$ $tool -v $copy"
"$tool" -v "$copy" </dev/null 2>&1 | sed 's/^/  /'
"$tool" -q --check "$copy" || die "the check failed"
say
say "\$ readelf -lSW $copy | grep -i sframe"
readelf -lSW "$copy" 2>/dev/null | grep -i -e sframe -e 0x6474e554
say
say "\$ $tool --dump $copy | head -n 20"
"$tool" --dump "$copy" | sed -n '1,20s/^/  /p'
show "$tool" -v --check "$copy"
run_both
