#!/bin/sh
# PLT stubs of every linker at hand through the oracle, byte by byte: with and
# without CFI of their own, lazy and not, with branch protection and without.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${CC:=cc}" "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
inputs=$srcdir/tests/oracle/inputs
oracle=$(pwd)/tests/oracle/oracle
if [ ! -x "$oracle" ]; then
  echo "1..0 # SKIP libdw not found (Debian: apt-get install libdw-dev)"
  exit 0
fi
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
n=0 compared=0

# check NAME LINKER [ARGUMENT]...: link, convert to every format (wherever the
# section may go: tests/matrix is about that), compare.  The line says how many bytes of stubs without CFI were checked.
check ()
{
  name=$1
  shift
  n=$((n + 1))
  if ! command -v "$1" >/dev/null; then
    echo "ok $n # SKIP $name: no $1"
    return
  fi
  if ! "$@" -o "$scratch/file" 2>"$scratch/errors"; then
    echo "ok $n # SKIP $name: $(head -n 1 "$scratch/errors")"
    return
  fi
  stubs=
  for format in 3 2 2.0 1 "3 --compact"; do
    # Only V2 with PCREL and V3 know s390x.
    case $name$format in s390x*1 | s390x*2.0) continue ;; esac
    if ! "$CFI2SFRAME" --format=$format -o "$scratch/out" "$scratch/file" \
      2>"$scratch/errors" \
      || ! "$oracle" --json "$scratch/out" "$scratch/file" \
        >"$scratch/verdict" 2>>"$scratch/errors"; then
      echo "not ok $n - $name, format $format"
      sed 's/^/# /' "$scratch/errors"
      return
    fi
    stubs="$stubs $(sed 's/.*"bytes_stub":\([0-9]*\).*/\1/' "$scratch/verdict")"
  done
  echo "ok $n - $name; stub bytes:$stubs"
  compared=$((compared + 1))
}

if [ "$(uname -m)" = x86_64 ]; then
  $CC -c "$inputs/amd64.s" -o "$scratch/amd64.o"
  # The same, saying that indirect branches are tracked.
  { cat "$inputs/amd64.s"
    printf '\t.section .note.gnu.property, "a"\n\t.p2align 3\n'
    printf '\t.long 4, 16, 5\n\t.asciz "GNU"\n'
    printf '\t.long 0xc0000002, 4, 3, 0\n'
  } >"$scratch/ibt.s"
  $CC -c "$scratch/ibt.s" -o "$scratch/ibt.o"
  for linker in ld.bfd ld.gold ld.lld mold; do
    for binding in lazy now; do
      check "$linker, $binding" $linker -shared -z $binding "$scratch/amd64.o"
      check "$linker, $binding, ibt" $linker -shared -z $binding \
        "$scratch/ibt.o"
    done
    check "$linker, without its own CFI" $linker -shared \
      --no-ld-generated-unwind-info "$scratch/amd64.o"
  done
fi
if command -v aarch64-linux-gnu-as >/dev/null; then
  aarch64-linux-gnu-as "$inputs/aarch64.s" -o "$scratch/aarch64.o"
  for linker in aarch64-linux-gnu-ld.bfd aarch64-linux-gnu-ld.gold ld.lld \
    mold; do
    for more in "" "-z force-bti" "-z pac-plt"; do
      # shellcheck disable=SC2086
      check "$linker, aarch64 $more" $linker -shared $more \
        "$scratch/aarch64.o"
    done
  done
fi
if command -v s390x-linux-gnu-as >/dev/null; then
  s390x-linux-gnu-as "$inputs/s390x.s" -o "$scratch/s390x.o"
  check "s390x" s390x-linux-gnu-ld.bfd -shared "$scratch/s390x.o"
  check "s390x, now" s390x-linux-gnu-ld.bfd -shared -z now "$scratch/s390x.o"
  check "s390x, gold" s390x-linux-gnu-ld.gold -shared "$scratch/s390x.o"
  check "s390x, mold" mold -shared "$scratch/s390x.o"
fi
n=$((n + 1))
[ $compared -gt 0 ] || printf 'not '
echo "ok $n - $compared files were compared"
echo "1..$n"
