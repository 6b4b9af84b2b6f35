#!/bin/sh
# Can every check of bats tests fail?  Bats ends a test at the first command that
# fails, but the shell does not count all of them: not "! command", not what
# stands in front of the last "&&", and nothing in front of "|| ls".  In
# "=~ ${x/y/\?}" the backslash is gone before the expression is read.
#
# Does tools/check.sh install what the tests need, and are the sources there that
# the files for Automake list?
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
    || line ~ /=~ .*\$\{[a-z_]+\/[^}]*\/\\/ \
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
  ! idle_checks "$srcdir"/tests/*/*.bats "$srcdir"/tests/*/*.bash
}

# What the tests ask for by `needs' and is here must come with the packages that
# tools/check.sh installs: otherwise it is skipped there, and nobody knows.
programs_needed ()
{
  {
    grep -hE '^ *needs [A-Za-z0-9_+. -]+$' "$srcdir"/tests/*/*.bats \
      "$srcdir"/tests/*/*.bash \
      | sed 's/^ *needs //' | tr ' ' '\n'
    printf '%s\n' fish ld.gold zsh
  } | LC_ALL=C sort -u
}

# The packages of tools/check.sh, all that they depend on, and what every
# system has.
packages_installed_for_tests ()
{
  names=$(cd "$srcdir" && . tools/common.sh \
    && eval "$(sed -n '/^test_packages="/,/"$/p; s/^command -v .* || \(test_packages=\)/\1/p' tools/check.sh)" \
    && all_names $build_packages $test_packages)
  # shellcheck disable=SC2086
  apt-cache depends --recurse --no-suggests --no-conflicts \
    --no-breaks --no-replaces --no-enhances --no-recommends $names 2>/dev/null \
    | sed -n 's/^\([a-z0-9][a-z0-9.+-]*\).*/\1/p'
  dpkg-query -W -f '${Package} ${Essential} ${Priority}\n' \
    | awk '$2 == "yes" || $3 == "required" { print $1 }'
}

# dpkg -S reads the lists of all packages, so it is asked once.  It may know
# /bin/x as /usr/bin/x or the other way round.
all_programs_are_installed ()
{
  programs_needed | while read -r program; do
    file=$(PATH=/usr/bin:/bin:/usr/sbin:/sbin command -v "$program") || continue
    printf '%s\n' "$file" "${file#/usr}"
  done >"$tree/files"
  xargs dpkg -S <"$tree/files" 2>/dev/null \
    | sed -n 's/^\([^:, ]*\)[:,].* \(\/.*\)/\2 \1/p' \
    | awk 'NR == FNR { installed[$1]; next }
           { sub (/^\/usr/, "", $1) }
           !($1 in seen) && !($2 in installed) { print $1 " is of " $2 }
           { seen[$1] }' "$tree/packages" - >"$log"
  [ ! -s "$log" ]
}

# `make' asks for a header by what includes it, `make dist' by the list.
listed_sources_are_there ()
{
  cat "$1/Makefile.am" "$1"/*/local.am "$1"/*/*/local.am 2>/dev/null \
    | sed '/^[ \t]*#/d' | tr -s ' \t=' '\n' \
    | grep -E '^[a-z][A-Za-z0-9_.+-]*/[A-Za-z0-9_/.+-]+\.(c|h|sh|py|bats|bash)$' \
    | LC_ALL=C sort -u | while read -r file; do
      [ -e "$1/$file" ] || echo "$file"
    done >"$log"
  [ ! -s "$log" ]
}

a_deleted_source_is_found ()
{
  mkdir "$tree/low"
  printf 'include low/local.am\n' >"$tree/Makefile.am"
  printf '# low/c.h\nlow_SOURCES = \\\n\tlow/a.c \\\n\tlow/b.h\n' \
    >"$tree/low/local.am"
  : >"$tree/low/a.c"
  ! listed_sources_are_there "$tree" && [ "$(cat "$log")" = low/b.h ]
}

echo "1..6"
check "what the files for Automake list is there" \
  listed_sources_are_there "$srcdir"
check "what is not is found" a_deleted_source_is_found
check "every check of the command line tests can fail" no_idle_checks
check "those that cannot are found" found 6 <<'END'
  ! cmp one two
  ! grep -q word \
    file
  [ 1 -eq 1 ] && [ 2 -eq 2 ]
  [[ $output == word ]] &&
    cmp one two
  [ "$(ls)" = one ] || ls .
  [[ $output =~ ${wanted/NAME/\?} ]] || report
END
check "those that can are not" found 0 <<'END'
  run ! cmp one two
  ! cmp one two || return 1
  [ 1 -eq 1 ]
  [ 1 -eq 1 ] || { ls; return 1; }
  [ 1 -eq 1 ] && [ 2 -eq 2 ] || report
  [[ $output =~ ${wanted/NAME/'[?]'} ]] || report
  if [ 1 -eq 1 ] && [ 2 -eq 2 ]; then
END
# Without lists apt knows the names alone that it is given, and none that they need.
# It reads the lists for a second, so it is asked once.
packages_installed_for_tests 2>/dev/null | LC_ALL=C sort -u >"$tree/packages"
if grep -qx cmake-data "$tree/packages"; then
  check "tools/check.sh installs what the tests need" all_programs_are_installed
else
  skip "no lists of Debian's packages here"
fi
