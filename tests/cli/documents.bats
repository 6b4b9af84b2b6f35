#!/usr/bin/env bats
# Every command in the documents is run, and the README's example prints what
# it says.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# The program under its own name, no pager, no colours.
program_in_path ()
{
  mkdir -p bin
  ln -sf "$CFI2SFRAME" bin/cfi2sframe
  ln -sf "$srcdir/contrib/retrofit/sframe-retrofit-deb" bin/
  PATH=$PWD/bin:$PATH
}

# The parts of a transcript that differ from machine to machine.
blur ()
{
  sed 's/ 0 wrong/ NOTHING wrong/; s/[0-9][0-9a-f.]*/N/g; s/N ms$/N ms/; s/, [a-z-]*, N ms/, HOW, N ms/;
       s/  */ /g; s/ $//; s/0x[0-9a-fN]*/N/g; s/\[N\]/[N]/; s/0xN/N/g'
}

@test "README: the example runs and prints what it says" {
  needs readelf
  program_in_path
  sed -n '/^```console$/,/^```$/p' "$srcdir/README.md" | sed '1d;$d' >example
  grep -q '^\$ cfi2sframe' example
  # Run each command line as it stands, in one shell.
  grep '^\$ ' example | sed 's/^\$ //' >commands
  while IFS= read -r command; do
    printf '$ %s\n' "$command"
    eval "$command"
  done <commands >transcript 2>&1
  grep -v '^\$' example | blur | grep -vE '^ N (\.note\.gnu\.property )?\.interp' >expected
  grep -v '^\$' transcript | blur | grep -vE '^ N (\.note\.gnu\.property )?\.interp' >found
  diff expected found
  cmp "$(program_file bash)" bash
}

@test "README: no option is mentioned that does not exist" {
  local option
  "$CFI2SFRAME" --help >help
  for option in $(grep -oE 'cfi2sframe [^|`)#]*' "$srcdir/README.md" \
                    | grep -oE -- ' --?[a-z][a-z-]*' | sort -u); do
    grep -qE -- "(^| )$option([ ,=[]|$)" help || [ "$option" = -vv ] \
      || { echo "$option"; return 1; }
  done
}

@test "cfi2sframe(1): every option of --help is there, and no other" {
  "$CFI2SFRAME" --help | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u \
    | grep -v '^--help$\|^--version$\|^--sframe$\|^--unwind-info$' >help
  sed 's/\\-/-/g' "$srcdir/doc/cfi2sframe.1" \
    | grep -oE -- '(fB|BR?).*--[a-z][a-z0-9-]*' \
    | grep -oE -- '--[a-z][a-z0-9-]*' \
    | grep -v '^--help$\|^--version$\|^--sframe$\|^--unwind-info$' \
    | sort -u >manual
  diff help manual
}

# Run the examples of a manual page: the lines between .nf and .fi.
run_examples ()
{
  sed -n '/^\.SH EXAMPLES/,/^\.SH/p' "$1" | sed -n '/^\.nf/,/^\.fi/p' \
    | grep -v '^\.' | sed 's/\\-/-/g; s/\\e/\\/g' >examples.sh
  [ -s examples.sh ]
  bash -e -o pipefail examples.sh
}

@test "cfi2sframe(1): the examples run" {
  needs jq readelf
  program_in_path
  # head closes the pipe early; that is not a failure of the example.
  sed 's/bash | head$/bash | sed -n 1,10p/' "$srcdir/doc/cfi2sframe.1" >page
  run_examples page
  has_sframe bash
  has_sframe true.sframe
  has_sframe programs/true
}

@test "sframe-retrofit-deb(1): every option is there, the example runs" {
  needs python3 dpkg-deb
  program_in_path
  local option
  sed 's/\\-/-/g' "$srcdir/doc/sframe-retrofit-deb.1" >page
  for option in $(sframe-retrofit-deb --help \
                    | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u); do
    grep -qF -- "$option" page || { echo "$option"; return 1; }
  done
  # A package at hand instead of one from the network.
  mkdir -p root/DEBIAN root/usr/bin
  small_program root/usr/bin/hello
  printf 'Package: hello\nVersion: 1\nArchitecture: amd64\n%s\n%s\n' \
    "Maintainer: Nobody <nobody@localhost.invalid>" \
    "Description: test" >root/DEBIAN/control
  dpkg-deb --root-owner-group -b root hello_1_amd64.deb >/dev/null
  sed 's/^apt-get download.*/:/' "$srcdir/doc/sframe-retrofit-deb.1" >page2
  run_examples page2
  [ -f new/hello_1+sframe1_amd64.deb ]
}

@test "manual pages have no formatting errors" {
  needs man
  local page
  for page in "$srcdir"/doc/*.[1-9]; do
    run man --warnings -E UTF-8 -l -Tutf8 -Z "$page"
    [ -z "$(MANROFFSEQ='' man --warnings -l "$page" 2>&1 >/dev/null)" ]
  done
}

@test "dh_sframe has a manual page" {
  needs pod2man man
  pod2man "$srcdir/contrib/debian/dh_sframe" >page.1
  man -l page.1 | grep -q 'cfi2sframe'
  [ -z "$(podchecker "$srcdir/contrib/debian/dh_sframe" 2>&1 \
            | grep -v 'syntax OK')" ]
}
