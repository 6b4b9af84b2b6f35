#!/bin/sh
# The static pages of "make site": do their links lead somewhere, and would a
# link that does not be noticed?
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
. "$srcdir/tests/tap.sh"
log=$tree/log
for tool in makeinfo mandoc python3; do
  command -v $tool >/dev/null || skip_all "$tool not found"
done
# The first one in PATH may not be Debian's, for which its modules are.
for python in python3 /usr/bin/python3 ''; do
  [ -z "$python" ] || ! $python -c 'import markdown' 2>/dev/null || break
done
[ -n "$python" ] \
  || skip_all "markdown not found (Debian: apt-get install python3-markdown)"

links ()
{
  "$python" "$srcdir/tests/site/links.py" "$tree/$1" >"$log" 2>&1
}

make_site ()
{
  "$python" "$srcdir/tools/maintainer/site.py" "$srcdir" "$tree/site" >"$log" 2>&1
}

has_pages ()
{
  for page in index overview release-engineers maintainers toolchain profilers \
              size-and-speed smaller comparison building conformance cfi-errors manual/index \
              man/cfi2sframe.1 man/libsframewalk.3; do
    [ -s "$tree/site/$page.html" ] || { echo "$page" >"$log"; return 1; }
  done
  [ "$(find "$tree/site/manual" -name '*.html' | wc -l)" -gt 20 ]
}

fits_screens ()
{
  for page in "$tree"/site/*.html "$tree"/site/man*/*.html; do
    grep -q 'name="\{0,1\}viewport' "$page" \
      || { echo "$page" >"$log"; return 1; }
  done
  grep -q 'color-scheme: light dark' "$tree/site/style.css"
}

# The longest bar is the last value of doc/use/speed's last table.
chart_is_of_the_document ()
{
  value=$(sed -n 's/^  -o, ms .* //p' "$srcdir/doc/use/speed" | tail -n 1)
  grep -q ">$value ms<" "$tree/site/speed.svg" \
    && grep -q 'width="420.0"' "$tree/site/speed.svg"
}

# What the pages for readers of one kind say is to be run.
options_exist ()
{
  grep -ohE -e '--[a-z][a-z-]+' "$srcdir"/doc/site/*.md | LC_ALL=C sort -u \
    >"$tree/options"
  [ -s "$tree/options" ] || return 1
  sed 's/\\-/-/g' "$srcdir"/doc/use/*.1 "$srcdir"/prove/*.1 "$srcdir"/stacks/*.1 "$srcdir"/contrib/*/*.1 \
    "$srcdir/doc/use/cfi2sframe.texi" \
    "$srcdir/contrib/retrofit/sframe-retrofit-deb" >"$tree/manuals"
  # Of other programs.
  printf '%s\n' --with --call-graph --gsframe --sframe >>"$tree/manuals"
  while read -r option; do
    grep -qe "$option\b" "$tree/manuals" || echo "$option"
  done <"$tree/options" >"$log"
  [ ! -s "$log" ]
}

# What $2 in the index brings about: $1 is told.
is_found ()
{
  rm -rf "$tree/copy"
  cp -R "$tree/site" "$tree/copy"
  echo "$2" >>"$tree/copy/index.html"
  echo '<p id=there>' >"$tree/copy/alone.html"
  ! links copy && grep -q "$1" "$log"
}

echo "1..10"
check "the site is made" make_site
check "it has all pages" has_pages
check "all links lead somewhere" links site
check "pages fit narrow and dark screens" fits_screens
check "the chart of times is doc/use/speed's" chart_is_of_the_document
check "options that pages name exist" options_exist
check "a link to no page is found" \
  is_found 'none.html: not there' '<a href="none.html">'
check "a link to no place in a page is found" \
  is_found 'alone.html#here: no such place' '<a href="alone.html#here">'
check "what is loaded from elsewhere is found" \
  is_found 'from elsewhere' '<img src="https://example.org/x.svg">'
check "a page that no other leads to is found" \
  is_found 'alone.html: : no page' '<a href="index.html">'
