#!/bin/sh
# Can every check of tests/cli fail?  Bats ends a test at the first command that
# fails, but the shell does not count all of them: not "! command", not what
# stands in front of the last "&&", and nothing in front of "|| ls".
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
. "$srcdir/tests/tap.sh"
log=$tree/found

# The checks in FILE... that cannot fail, joined to one line each.
idle_checks ()
{
  awk '
    FNR == 1 { line = "" }
    { sub (/^[ \t]+/, ""); line = line == "" ? $0 : line " " $0 }
    sub (/\\$/, "", line) || line ~ /(&&|\|\|)$/ { next }
    line ~ /^! / && line !~ /\|\| / \
    || line ~ /^\[.*\]\]? && / && line !~ /\|\| / \
    || line ~ /^\[.*\]\]? \|\| (ls|od|echo|cat|head|printf|true) / {
      print FILENAME ":" FNR ": " line
    }
    { line = "" }' "$@" >"$log"
  [ -s "$log" ]
}

# How many of the lines on standard input are found.
found ()
{
  cat >"$tree/lines"
  idle_checks "$tree/lines"
  [ "$(wc -l <"$log")" -eq "$1" ]
}

no_idle_checks ()
{
  ! idle_checks "$srcdir"/tests/cli/*.bats "$srcdir"/tests/cli/helpers.bash
}

echo "1..3"
check "every check of the command line tests can fail" no_idle_checks
check "those that cannot are found" found 5 <<'END'
  ! cmp one two
  ! grep -q word \
    file
  [ 1 -eq 1 ] && [ 2 -eq 2 ]
  [[ $output == word ]] &&
    cmp one two
  [ "$(ls)" = one ] || ls .
END
check "those that can are not" found 0 <<'END'
  run ! cmp one two
  ! cmp one two || return 1
  [ 1 -eq 1 ]
  [ 1 -eq 1 ] || { ls; return 1; }
  [ 1 -eq 1 ] && [ 2 -eq 2 ] || report
  if [ 1 -eq 1 ] && [ 2 -eq 2 ]; then
END
