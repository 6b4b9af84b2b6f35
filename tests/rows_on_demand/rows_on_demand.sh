#!/bin/sh
# Rows that are made where a walk comes to are those of the whole file: of
# programs and libraries as they are installed, and of files whose CFI is
# unusual.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: rows_on_demand.sh [FILE...], in the build directory.

set -u
. "$(dirname "$0")/../tap.sh"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log
: "${CC:=cc}"

# same WHAT FILE...: are the rows of all FILEs the same both ways?
same ()
{
  what=$1
  shift
  tests/rows_on_demand/against_whole "$@" >"$log" 2>&1
  status=$?
  if [ $status -eq 0 ]; then
    result ok "$what"
  else
    result "not ok" "$what"
  fi
  sed 's/^/# /' "$log"
}

if [ $# -gt 0 ]; then
  same "files that were named" "$@"
  echo "1..$n"
  exit
fi

same "programs and libraries of the system" src/cfi2sframe \
  "$(command -v sh)" "$(ldd src/cfi2sframe | awk '/libc\.so/ { print $3 }')" \
  "$(ldd src/cfi2sframe | awk '/libdwarf/ { print $3 }')"

cat >"$scratch/many.c" <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#define F(n) \
  __attribute__ ((noinline)) int f##n (int x) \
  { \
    volatile char room[n + 1]; \
    room[0] = (char) x; \
    if (x < 0) \
      abort (); \
    return room[0] + printf ("%d", x) + atoi (getenv ("A")); \
  }
#define G(n) F (n##0) F (n##1) F (n##2) F (n##3) F (n##4) F (n##5) F (n##6)
G (1) G (2) G (3) G (4) G (5) G (6) G (7) G (8) G (9)
int
main (void)
{
  raise (SIGINT);
  return f10 (f96 (3));
}
END

# built WHAT OPTION...: many.c, built with these options.
built ()
{
  what=$1
  shift
  if "$CC" -O2 -o "$scratch/many" "$scratch/many.c" "$@" 2>"$log"; then
    same "$what" "$scratch/many"
  else
    skip "$what: cannot be built"
  fi
}

built "no .eh_frame_hdr" -Wl,--no-eh-frame-hdr
built "PLT stubs without CFI" -Wl,-z,lazy -Wl,--no-ld-generated-unwind-info
built "PLT stubs of lld" -fuse-ld=lld -Wl,-z,lazy
built ".debug_frame alone" -g -fno-asynchronous-unwind-tables \
  -fno-omit-frame-pointer
built "static" -static
built "functions in sections of their own" -ffunction-sections \
  -fno-reorder-functions -fcf-protection=none
if command -v objcopy >/dev/null && "$CC" -O2 -o "$scratch/many" \
    "$scratch/many.c" && objcopy --strip-all "$scratch/many" \
    && printf '\0\0\0\0\0\0\0\0' | dd of="$scratch/many" bs=1 seek=40 \
      conv=notrunc 2>/dev/null && printf '\0\0\0\0' \
    | dd of="$scratch/many" bs=1 seek=60 conv=notrunc 2>/dev/null; then
  same "no section headers" "$scratch/many"
else
  skip "no section headers: cannot be made"
fi

# FDEs that overlap: two that say the same, two that contradict each other, one
# over forty others, one that is empty, and one for no code.
{
  echo '  .text'
  for i in $(seq 1 120); do
    cat <<END
f$i:
  .cfi_startproc
  push %rbx
  .cfi_adjust_cfa_offset 8
  pop %rbx
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size f$i, .-f$i
END
  done
  echo '  .section .eh_frame,"a",@unwind'
  i=0
  # fde START SIZE INSTRUCTION...: FDE with the CIE of the section's start
  fde ()
  {
    i=$((i + 1))
    cat <<END
e$i: .long 2f - 1f
1: .long 1b - cie
  .long $1 - .
  .long $2
  .byte 0
  .byte $3
  .balign 8
2:
END
  }
  cat <<'END'
cie: .long 2f - 1f
1: .long 0
  .byte 1
  .string "zR"
  .uleb128 1
  .sleb128 -8
  .byte 16
  .uleb128 1
  .byte 0x1b
  .byte 0xc, 7, 8, 0x90, 1
  .balign 8
2:
END
  fde f20 3 "0xe, 8"
  fde f40 3 "0xe, 32"
  fde f60 "f100 - f60" "0xe, 8"
  fde f110 0 "0xe, 8"
  fde "f110 + 0x7000000" 0x1000 "0xe, 8"
} >"$scratch/overlap.s"
if [ "$(uname -m)" = x86_64 ] \
    && "$CC" -shared -nostdlib -Wl,--no-eh-frame-hdr -o "$scratch/overlap" \
      "$scratch/overlap.s" 2>"$log"; then
  same "FDEs that overlap" "$scratch/overlap"
else
  skip "FDEs that overlap: for x86-64 only"
fi

# Random call-frame programs.
for machine in amd64 aarch64 s390x; do
  case $machine in
    amd64) prefix=x86_64-linux-gnu- ;;
    *) prefix=$machine-linux-gnu- ;;
  esac
  if command -v "${prefix}as" >/dev/null \
      && tests/random_cfi/generate $machine 7 100 >"$scratch/in.s" \
      && "${prefix}as" -o "$scratch/in.o" "$scratch/in.s" \
      && "${prefix}ld" -shared -o "$scratch/in" "$scratch/in.o"; then
    same "random call-frame programs of $machine" "$scratch/in"
  else
    skip "no ${prefix}as and ${prefix}ld"
  fi
done
echo "1..$n"
