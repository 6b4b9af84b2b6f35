#!/bin/sh
# From a fresh clone to a converted program.
#   sh tools/quickstart.sh [FILE]
# Installs what the build needs, builds in build/, converts a copy of FILE
# (default: the system's bash), shows what has changed, and runs the copy.  FILE
# itself stays as it is.  Minutes for the first time, then seconds.
# Exit status: 0 the copy does what FILE did, 1 it does not, or a step failed,
# 2 wrong usage.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
. "$top/tools/common.sh"
no_options "$@"

file=${1-$(command -v bash)}
[ $# -le 1 ] || usage
if [ ! -f "$file" ]; then
  printf 'quickstart.sh: %s: no such file\n\n' "${file:-bash}" >&2
  usage
fi
[ -r "$file" ] || die "$file: you may not read it"
file=$(readlink -f "$file")
cd "$top" || exit 2

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

# Run the copy.  A library is loaded into true, by a relative name, because
# LD_PRELOAD is split at spaces and colons.
run_copy ()
{
  if is_program "$copy"; then
    timeout 30 "$copy" --version
  else
    (cd "${copy%/*}" && LD_PRELOAD=./${copy##*/} timeout 30 true)
  fi </dev/null 2>&1
}

# The command of run_copy, to be shown.
shown_command ()
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
# LD_PRELOAD is split at spaces and colons.
copy=$PWD/build/quickstart/$(printf '%s' "${file##*/}" | tr ' :' '__')
cp "$file" "$copy" && chmod u+wx "$copy" || exit 1

# What the copy does before it is converted.  FILE would not do: it may have set-id
# bits, which the copy has not, and a program may print its name.
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
say "\$ $(shown_command)"
[ -z "$after" ] || printf '%s\n' "$after" | sed -n '1,6s/^/  /p'
[ "$before" = "$after" ] && [ "$before_status" -eq "$after_status" ] \
  || die "${file##*/} behaves differently after conversion"
say
say "The same output and exit status ($after_status) as before the conversion."

# The stack of the converted bash while it waits for a line.  Its rows are those of
# its .sframe; sframe-stack makes those of libc in memory.
stack=build/stacks/sframe-stack
case ${file##*/} in bash) ;; *) exit 0 ;; esac
[ -x "$stack" ] || exit 0
rm -f build/quickstart/line
mkfifo build/quickstart/line || exit 0
"$copy" -c 'line () { read -r REPLY; }; line' <build/quickstart/line &
waiting=$!
exec 3>build/quickstart/line
sleep 0.5
# Nothing is shown if tracing is not permitted.
shown=$("$stack" -v "$waiting" 2>&1) || shown=
exec 3>&-
wait "$waiting"
[ -n "$shown" ] || exit 0
say
say "\$ $stack -v \$(pidof bash)"
printf '%s\n' "$shown"
