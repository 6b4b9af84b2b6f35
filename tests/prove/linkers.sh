#!/bin/sh
# A little of everything that CFI says, linked by every linker at hand, in each
# version: what has CFI is proved, and as many bytes have rows without it as
# the PLT has stubs.  tests/unit (arch, plt) show what these rows say.
# SPDX-License-Identifier: LGPL-2.1-or-later

srcdir=$(cd "${srcdir-.}" && pwd)
. "$srcdir/tests/tap.sh"
prove=prove/sframe-prove program=${CFI2SFRAME:-src/cfi2sframe}
inputs=$srcdir/tests/prove/inputs
[ -x "$prove" ] || skip_all "$without_libdw"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
log=$scratch/errors compared=0

# How many bytes of stubs FILE has.
stub_bytes ()
{
  readelf -SW "$scratch/file" | sed 's/^ *\[[ 0-9]*\]//' | {
    sum=0
    while read -r name _ _ _ size _; do
      case $name in .plt | .plt.sec | .plt.got | .iplt) sum=$((sum + 0x$size)) ;; esac
    done
    echo $sum
  }
}

# proved FORMAT BYTES: so many bytes have rows without CFI.
proved ()
{
  "$program" -q --format="$1" -o "$scratch/out" "$scratch/file" 2>"$log" \
    && "$prove" "$scratch/out" "$scratch/file" >"$log" 2>&1 \
    && grep -q " equal [1-9].* without-cfi $2 wrong 0\$" "$log"
}

# linked NAME own|none LINKER [ARGUMENT]...: the linker writes CFI for its
# stubs, or none.
linked ()
{
  name=$1 cfi=$2
  shift 2
  # The shell itself says there when it finds no linker.
  if ! { "$@" -o "$scratch/file"; } >"$log" 2>&1; then
    skip "$name: $(head -n 1 "$log")"
    return
  fi
  bytes=0
  [ "$cfi" = own ] || bytes=$(stub_bytes)
  for format in 3 2 2.0 1; do
    # Only V2 with PCREL and V3 know s390x.
    case $name$format in s390x*1 | s390x*2.0) continue ;; esac
    check "$name, format $format: $bytes bytes of stubs without CFI" \
      proved $format "$bytes"
  done
  compared=$((compared + 1))
}

if [ "$(uname -m)" = x86_64 ]; then
  "${CC:-cc}" -c "$inputs/amd64.s" -o "$scratch/amd64.o"
  # The same, saying that indirect branches are tracked.
  { cat "$inputs/amd64.s"
    printf '\t.section .note.gnu.property, "a"\n\t.p2align 3\n'
    printf '\t.long 4, 16, 5\n\t.asciz "GNU"\n'
    printf '\t.long 0xc0000002, 4, 3, 0\n'
  } >"$scratch/ibt.s"
  "${CC:-cc}" -c "$scratch/ibt.s" -o "$scratch/ibt.o"
  for linker in ld.bfd ld.gold ld.lld mold; do
    case $linker in ld.bfd | ld.gold) cfi=own ;; *) cfi=none ;; esac
    for binding in lazy now; do
      linked "$linker, $binding" $cfi $linker -shared -z $binding \
        "$scratch/amd64.o"
      linked "$linker, $binding, ibt" $cfi $linker -shared -z $binding \
        "$scratch/ibt.o"
    done
    linked "$linker, without its own CFI" none $linker -shared \
      --no-ld-generated-unwind-info "$scratch/amd64.o"
  done
fi
if command -v aarch64-linux-gnu-as >/dev/null; then
  for order in EL EB; do
    aarch64-linux-gnu-as -$order "$inputs/aarch64.s" -o "$scratch/$order.o"
  done
  for linker in aarch64-linux-gnu-ld.bfd aarch64-linux-gnu-ld.gold ld.lld \
    mold; do
    for more in "" "-z force-bti" "-z pac-plt"; do
      # shellcheck disable=SC2086
      linked "$linker, aarch64 $more" none $linker -shared $more \
        "$scratch/EL.o"
    done
  done
  linked "big-endian aarch64" none aarch64-linux-gnu-ld.bfd -EB -shared \
    "$scratch/EB.o"
fi
if command -v s390x-linux-gnu-as >/dev/null; then
  s390x-linux-gnu-as "$inputs/s390x.s" -o "$scratch/s390x.o"
  # GNU ld of Debian sid does, that of Debian 13 does not.
  cfi=none
  ! s390x-linux-gnu-ld.bfd --help | grep -q ld-generated-unwind-info || cfi=own
  linked "s390x" $cfi s390x-linux-gnu-ld.bfd -shared "$scratch/s390x.o"
  linked "s390x, now" $cfi s390x-linux-gnu-ld.bfd -shared -z now \
    "$scratch/s390x.o"
  linked "s390x, gold" own s390x-linux-gnu-ld.gold -shared "$scratch/s390x.o"
  linked "s390x, mold" none mold -shared "$scratch/s390x.o"
fi
check "files were compared" test $compared -gt 0
echo "1..$n"
