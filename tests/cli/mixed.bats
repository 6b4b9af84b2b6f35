#!/usr/bin/env bats
# Systems of which some objects were assembled with --gsframe: which sections
# --replace=auto keeps, and which it replaces.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# FILE with a section of these OPTIONS that is nobody's: without the record that
# tells what was before, as if a linker had made it.
nobodys ()
{
  copy "$(program_file bash)" "$1"
  "$CFI2SFRAME" -q "${@:2}" "$1"
  strip "$1"
  has_sframe "$1"
  run ! "$CFI2SFRAME" --undo "$1"
}

@test "mixed: right and whole sections of any version are kept" {
  local options
  for options in --format=3 --no-share --format=2 --format=2.0 --format=1; do
    nobodys f $options
    skipped f --replace=auto
    [ -z "$stderr" ] || report
  done
  # What a hook does with it is the same.
  skipped f --hook
  convert --replace --format=3 f
  "$CFI2SFRAME" --dump f | grep -q SFRAME_VERSION_3
}

@test "mixed: GNU ld's rows of .plt.got are wrong, and replaced" {
  local name
  for name in cxx-amd64 lua-amd64-stripped; do
    copy "$srcdir/tests/data/gnu-linked/$name" f
    exits 1 --check f
    cp f g
    convert --replace=auto f
    exits 0 --check f
    exits 1 --compare --stats=json g f
    [[ $output == *'"defects":{"plt-got":1,'* ]] || report
    skipped f --replace=auto
  done
}

# conformance/reports/gnu-ld.md, first report.
@test "report: GNU ld's rows of .plt.got" {
  needs objdump
  local name address
  for name in cxx-amd64 lua-amd64-stripped; do
    copy "$srcdir/tests/data/gnu-linked/$name" f
    read -r address < <(readelf -SW f | sed -n 's/.* \.plt\.got  *PROGBITS *0*\([0-9a-f]*\) .*/\1/p')
    exits 1 --check f
    [[ $stderr == *": 0x$address: CFA is rsp+8 in .eh_frame, rsp+16 in .sframe" ]] || report
    [[ $output == *" 8 wrong, "* ]] || report
    # Its entries push nothing.
    objdump -d -j .plt.got f | sed -n 's/^ .*\t\([a-z]*\) .*/\1/p' >instructions
    grep -qx jmp instructions
    run ! grep -e push instructions
  done
}

# The second report: the figures in it.
@test "report: rows of GNU ld that are equal are stored again" {
  local name size rows
  while read -r name size rows with without; do
    copy "$srcdir/tests/data/gnu-linked/$name" f
    [ "$(section_bytes f .sframe | wc -c)" -eq "$size" ]
    "$CFI2SFRAME" --dump f | grep -q "Num FREs: $rows\$"
    cp f g
    convert --replace --no-split f
    [ "$(section_bytes f .sframe | wc -c)" -eq "$with" ]
    convert --replace --no-share g
    [ "$(section_bytes g .sframe | wc -c)" -eq "$without" ]
    grep -F "| $name " "$srcdir/conformance/reports/gnu-ld.md" | tr -d , \
      | grep -qF "| $size | $rows | $without | $with |"
  done <<'END'
cxx-amd64 782 93 755 771
lua-amd64-stripped 34772 5011 32388 33803
END
}

@test "each row of the manual's table is held by a test" {
  sed -n '/^@cindex mixed system/,/^@end multitable/p' \
    "$srcdir/doc/use/cfi2sframe.texi" >table
  [ "$(grep -c '^@item ' table)" -ge 10 ]
  # In front of each row there is the name of its test.
  [ "$(grep -c '^@item ' table)" -eq "$(grep -A 1 '^@c test: ' table | grep -c '^@item ')" ]
  local name
  while read -r name; do
    grep -qxF "@test \"$name\" {" "$srcdir"/tests/*/*.bats \
      || { echo "no test: $name"; return 1; }
  done < <(sed -n 's/^@c test: //p' table)
  # The manual once had the table twice, in older and in newer words.
  [ -z "$(sed -n 's/^@c test: //p' table | sort | uniq -d)" ]
}

# Of the hooks, "all hooks give --hook" (hooks.bats) knows how many there are.
@test "everything that converts on its own gives --hook or --replace=auto" {
  local file
  for file in arch/45-sframe.sh autotools/README bazel/sframe.bzl \
              cargo/sframe-linker cmake/Cfi2sframe.cmake debian/dh_sframe \
              gentoo/sframe.bashrc meson/sframe-install.sh nix/setup-hook.sh \
              retrofit/sframe_retrofit/converter.py rpm/brp-sframe \
              yocto/sframe.bbclass; do
    grep -q -e --hook -e --replace=auto "$srcdir/contrib/$file" || { echo "$file"; return 1; }
  done
}
