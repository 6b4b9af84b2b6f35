#!/usr/bin/env bats
# --for: versions that readers take, and what they would refuse or misread.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

@test "--for chooses the newest version that all named readers take" {
  small_program
  local readers version
  while read -r readers version; do
    convert --for="$readers" -o out small
    convert --format="$version" -o expected small
    cmp out expected
    run ! cmp -s out small
  done <<'END'
linux 3
libsframe 3
libsframe,linux 3
glibc 2
glibc,libsframe 2
libsframe-2.44 2.0
glibc,libsframe-2.44 2.0
libsframe-2.40 1
END
}

@test "without --for version 3 is written, as ever" {
  small_program
  convert -o out small
  convert --format=3 -o expected small
  cmp out expected
}

@test "--for: readers without a common version are named, with what they read" {
  small_program
  wrong_usage --for=linux,glibc small
  [[ $stderr == *"no version is read by all of them: linux reads 3; glibc reads 2 and 2.0"* ]]
  wrong_usage --for=libsframe,libsframe-2.40 small
  [[ $stderr == *"libsframe reads 3 and 2; libsframe-2.40 reads 1"* ]]
}

@test "--for: an .sframe that a named reader does not take is told, and replaced" {
  small_program
  cp small original
  convert --format=2 small
  cp small old
  exits 0 --for=linux small
  [[ $stderr == *"the .sframe that is there is not for the readers named: linux refuses version 2; "* ]] \
    || report
  cmp old small
  exits 0 --for=glibc small
  [ -z "$stderr" ] || report
  exits 0 --replace=auto --for=glibc small
  cmp old small
  exits 0 --replace=auto --for=linux small
  exits 0 --check --for=linux small
  cp small new
  exits 0 --replace=auto --for=linux small
  cmp new small
  exits 0 --undo small
  cmp original small
}

@test "--for: unknown readers and contradictions are wrong usage" {
  small_program
  wrong_usage --for=windows small
  [[ $stderr == *"linux, glibc, libsframe"* ]]
  wrong_usage --for=linux, small
  wrong_usage --for=linux --format=3 small
  wrong_usage --for=linux --relocatable small
  wrong_usage --for=linux --dump small
}

# Code in a second executable segment.
two_segments ()
{
  needs gcc
  cat >two.c <<'END'
__attribute__ ((section (".far"), noinline)) int far_away (int n) { volatile int a[9] = { n }; return a[n & 7]; }
int main (int argc, char **argv) { (void)argv; return far_away (argc) & 1; }
END
  gcc -O1 -fasynchronous-unwind-tables two.c -o two -Wl,--section-start=.far=0x800000
  [ "$(readelf -lW two | grep -c 'LOAD.* R E ')" -eq 2 ] || skip "one segment"
}

@test "--for=linux refuses a file with several executable segments" {
  two_segments
  refused two --for=linux
  [ "$(wc -l <<<"$stderr")" -eq 1 ]
  [[ $stderr == *"two: linux refuses a file with several executable segments"* ]]
  convert --for=libsframe -o out two
  exits 1 --check --for=libsframe,linux out
  [[ $stderr == *"out: linux refuses a file with several executable segments"* ]]
}

@test "--require --for: a file that a reader takes no section of need have none" {
  two_segments
  mkdir tree
  cp two tree/
  exits 0 --check -r --require --for=linux tree
  exits 1 --check --require --for=linux two
  [[ $stderr == *"two: linux refuses a file with several executable segments" ]] || report
  exits 1 --check -r --require --for=libsframe tree
  [[ $stderr == *"tree/two: no .sframe, which it could have for "* ]] || report
  wrong_usage --check --require --for=linux,glibc two
}

@test "--check --for says what readers refuse, a line for each" {
  small_program
  convert --format=3 -o three small
  convert --format=2 -o two small
  convert --format=2.0 -o old small
  exits 0 --check --for=linux,libsframe three
  exits 1 --check --for=linux,glibc three
  [[ $stderr == *"three: glibc refuses version 3" ]]
  exits 1 --check --for=linux,libsframe-2.44 two
  grep -qx '  linux refuses version 2' <<<"$output"
  grep -qx '  libsframe-2.44 refuses starts that count from themselves' <<<"$output"
  exits 1 --check --for=libsframe old
  [[ $stderr == *"libsframe misreads starts that count from the section" ]]
  exits 0 --check --for=libsframe-2.44 old
  exits 0 --check old
}

@test "--check --for: what a reader does not find is said, and no failure" {
  small_program
  convert --format=2 -o two small
  exits 0 -v --check --for=glibc two
  grep -q '^  glibc ' <<<"$output"
}

@test "--check --for: in JSON, too" {
  needs jq
  small_program
  convert --format=2 -o two small
  exits 1 --check --for=linux --stats=json two
  [ "$(jq -r .readers <<<"$output")" = "linux refuses version 2" ]
}
