#!/bin/sh
# From a fresh clone to a converted program:
#   sh tools/quickstart.sh [FILE]
# installs what the build needs, builds in build/, converts a copy of FILE
# (the system's bash unless given), shows what that did, and runs the result.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
file=${1-$(command -v bash)}
if [ $# -gt 1 ] || [ ! -f "$file" ]; then
  [ $# -gt 1 ] || echo "quickstart.sh: $file: no such file" >&2
  echo "usage: sh tools/quickstart.sh [FILE]" >&2
  exit 2
fi
[ -r "$file" ] \
  || { echo "quickstart.sh: $file: you may not read it" >&2; exit 1; }
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

# Whether FILE can be run as a program; else it is a library to preload.
is_program ()
{
  case $(readelf -hlW "$1" 2>/dev/null) in
    *INTERP* | *"Type: "*EXEC*) return 0 ;;
    *) return 1 ;;
  esac
}

# Run the copy: a library together with true, under a relative name, because
# LD_PRELOAD is split at spaces and colons.
run_copy ()
{
  if is_program "$copy"; then
    timeout 30 "$copy" --version
  else
    (cd "${copy%/*}" && LD_PRELOAD=./${copy##*/} timeout 30 true)
  fi </dev/null 2>&1
}

# What is run, for people.
told_run ()
{
  if is_program "$copy"; then
    printf '%s --version' "$copy"
  else
    printf 'cd %s; LD_PRELOAD=./%s true' "${copy%/*}" "${copy##*/}"
  fi
}

# shellcheck disable=SC2086
need_packages $build_packages || die "what the build needs is missing"
say "Building, in build/"
build_in build || exit 1

tool=build/src/cfi2sframe
mkdir -p build/quickstart
# Spaces and colons would be in the way of LD_PRELOAD.
copy=$PWD/build/quickstart/$(printf '%s' "${file##*/}" | tr ' :' '__')
cp "$file" "$copy" && chmod u+wx "$copy" || exit 1

# What the copy does before it is converted: the original may have set-id bits,
# and its name may be in its output.
before=$(run_copy)
before_status=$?

say "\$ $tool -v $copy"
"$tool" -v "$copy" </dev/null 2>&1 | sed 's/^/  /'
readelf -SW "$copy" 2>/dev/null | grep -q ' \.sframe ' \
  || die "$file has nothing to convert, for the reason above"
"$tool" -q --check "$copy" || die "the check failed"
say
say "\$ readelf -lSW $copy | grep -i sframe"
readelf -lSW "$copy" 2>/dev/null | grep -i -e sframe -e 0x6474e554
say
say "\$ $tool --dump $copy | head -n 20"
"$tool" --dump "$copy" | sed -n '1,20s/^/  /p'
show "$tool" -v --check "$copy"

after=$(run_copy)
after_status=$?
say
say "\$ $(told_run)"
[ -z "$after" ] || printf '%s\n' "$after" | sed -n '1,6s/^/  /p'
[ "$before" = "$after" ] && [ "$before_status" -eq "$after_status" ] \
  || die "${file##*/} behaves differently after conversion"
say
say "The same output and exit status ($after_status) as before the conversion."

# The stack of the copy while it waits for a line, by its own rows; those of
# libc are made in memory.
stack=build/stacks/sframe-stack
case ${file##*/} in bash) ;; *) exit 0 ;; esac
[ -x "$stack" ] || exit 0
rm -f build/quickstart/line
mkfifo build/quickstart/line || exit 0
"$copy" -c 'line () { read -r REPLY; }; line' <build/quickstart/line &
waiting=$!
exec 3>build/quickstart/line
sleep 0.5
# Where tracing is permitted.
shown=$("$stack" -v "$waiting" 2>&1) || shown=
exec 3>&-
wait "$waiting"
[ -n "$shown" ] || exit 0
say
say "\$ $stack -v \$(pidof bash)"
printf '%s\n' "$shown"
