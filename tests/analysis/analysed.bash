# Libraries of assembly code for the tests of --lint and --analyze, and what --lint
# finds there.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash

macros=$srcdir/tests/analysis/idioms/macros.inc

# analysed_library NAME: make NAME.so of the assembly code on standard input, if
# this build can analyse it.  The code may use the macros of the idioms.
analysed_library ()
{
  wrong_library
  { cat "$macros" -; printf '\t.section .note.GNU-stack, ""\n'; } >"$1.s"
  "${CC:-cc}" -nostdlib -shared -o "$1.so" "$1.s"
}

# finds STATUS [-v] FILE LINE...: --lint exits with STATUS and prints these lines,
# and the instructions around its findings, which do not count.  In LINE `*' stands
# for anything.
finds ()
{
  local wanted=$1 options=() line
  shift
  if [ "$1" = -v ]; then
    options=(-v)
    shift
  fi
  exits "$wanted" --lint "${options[@]}" "$1"
  shift
  mapfile -t lines < <(printf '%s\n' "${lines[@]}" | grep -v '^  ')
  [ "${#lines[@]}" -eq $# ] || report
  for line in "${lines[@]}"; do
    # "*(" would begin a pattern of another kind.
    # shellcheck disable=SC2053
    [[ $line == ${1//\(/\\(} ]] || report
    shift
  done
}

# foreign_library NAME: make NAME.so of the aarch64 idiom NAME, and bare.so of the
# same code without CFI, if this machine and this build can.
foreign_library ()
{
  needs aarch64-linux-gnu-as
  needs aarch64-linux-gnu-ld
  sed '/^#/d' "$srcdir"/tests/analysis/idioms/aarch64/"$1".s >"$1".s
  sed 's/^\([fg]\):/	exported	\1\n\1:/' -i "$1".s
  sed '/^	\.cfi_/d; s/^\(.*:\)	\.cfi_.*/\1/' "$1".s >bare.s
  for source in "$1" bare; do
    aarch64-linux-gnu-as -o "$source.o" "$macros" "$source.s"
    aarch64-linux-gnu-ld -shared -o "$source.so" "$source.o"
  done
  "$CFI2SFRAME" --lint -q bare.so 2>errors || [ $? -eq 1 ]
  ! grep -q "cannot analyse" errors || skip "$(cat errors)"
}
