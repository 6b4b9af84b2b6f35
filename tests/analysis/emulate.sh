#!/bin/sh
# Rows from code and from CFI, held against what an emulator does
# (emulate.py, which judges whole distributions, too):
#   /usr/bin/python3 tests/analysis/emulate.py -v FILE...
# SPDX-License-Identifier: LGPL-2.1-or-later

: "${srcdir:=.}"
. "$srcdir/tests/tap.sh"
python=/usr/bin/python3
"$python" -c 'import capstone, unicorn' 2>/dev/null \
  || skip_all "capstone and unicorn for Python are not installed"
work=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-emulate.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
log=$work/log

emulate ()
{
  "$python" "$srcdir/tests/analysis/emulate.py" -v "$@" >"$log" 2>&1
}

# build COMPILER OPTION...: $work/program, without CFI.
build ()
{
  "$@" -nostdlib -static -fno-stack-protector -fno-asynchronous-unwind-tables \
    -fno-unwind-tables -Wl,--build-id=none -o "$work/program" \
    "$srcdir/tests/analysis/emulated.c" >"$log" 2>&1
}

true_rows ()
{
  src/cfi2sframe --analyze "$work/program" >"$log" 2>&1 \
    && emulate --paths 4 --steps 300 "$work/program" && grep -q ' [1-9][0-9]* rows' "$log" \
    && ! grep -q ' 0 functions' "$log"
}

for compiler in "gcc -Os -fcf-protection" "clang -Oz" \
                "aarch64-linux-gnu-gcc -O2" \
                "clang -Oz --target=aarch64-linux-gnu -fuse-ld=lld"; do
  case $compiler in
    *aarch64*) ;;
    *) has_zydis || { skip "$compiler: no Zydis"; continue; } ;;
  esac
  # shellcheck disable=SC2086
  if build $compiler; then
    check "no wrong row from code by $compiler" true_rows
  else
    skip "$compiler: does not compile here"
  fi
done

# The referee has to notice what is wrong: CFA, RA and FP.
cat >"$work/wrong.s" <<'END'
  .globl _start
_start:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  push %rbx
  nop                          # CFA: 8 bytes more by now
  pop %rbx
  mov $1, %ebp
  .cfi_restore %rbp            # FP: its value is gone
  nop
  .cfi_offset %rbp, -16
  pop %rbp
  .cfi_def_cfa_offset 8
  .cfi_restore %rbp
  ret
  .cfi_endproc
END
case $(uname -m) in
  x86_64)
    gcc -nostdlib -static -o "$work/wrong" "$work/wrong.s" \
      && src/cfi2sframe "$work/wrong"
    emulate "$work/wrong"
    check "a wrong CFA is noticed" test "$(grep -c ': CFA' "$log")" -eq 2
    check "a wrong FP is noticed" test "$(grep -c ': FP' "$log")" -eq 1 ;;
  *)
    skip "wrong rows: of x86-64" ;;
esac

echo "1..$n"
