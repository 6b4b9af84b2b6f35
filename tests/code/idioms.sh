#!/bin/sh
# Code idioms, assembled, and what the analysis says of them when it does not
# see their CFI.  The first lines of each file in idioms/ tell what it is about
# and what hidden_cfi has to print, if need be with options; and how it is
# linked, if not as a library.
# SPDX-License-Identifier: LGPL-2.1-or-later

: "${srcdir:=.}"
work=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-idioms.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

set -- "$srcdir"/tests/code/idioms/*.s
echo "1..$#"
case $(${CC:-cc} -dumpmachine) in
  x86_64-*) ;;
  *)
    for source in "$@"; do
      echo "ok - ${source##*/} # SKIP the compiler is not for x86-64"
    done
    exit 0 ;;
esac

# Print what is missing in the output for $1.
missing ()
{
  link=$(sed -n 's/^# link: //p' "$1")
  # shellcheck disable=SC2086
  ${CC:-cc} -nostdlib ${link:--shared} -Wl,--no-undefined-version \
    -o "$work/idiom.so" "$1" || return
  # shellcheck disable=SC2046
  tests/code/hidden_cfi $(sed -n 's/^# options: //p' "$1") "$work/idiom.so" >"$work/out" 2>&1
  sed -n 's/^# expect: //p' "$1" | while IFS= read -r line; do
    grep -qF -e "$line" "$work/out" || echo "# missing: $line"
  done
}

status=0
for source in "$@"; do
  name=${source##*/}
  lacking=$(missing "$source" 2>&1)
  if [ -z "$lacking" ] && [ -s "$work/out" ]; then
    echo "ok - ${name%.s}"
  else
    echo "not ok - ${name%.s}"
    printf '%s\n' "$lacking"
    sed 's/^/# /' "$work/out"
    status=1
  fi
done
exit $status
