#!/bin/sh
# Walk the stacks of running converted programs with SFrame alone and compare
# every frame with libdwfl's (living.c).  Prints TAP.
#   living.sh [--long]
# The long form is what tools/maintainer/long.sh runs.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${CC:=cc}" "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
: "${LIVING_FORMAT:=3}"
programs=$srcdir/tests/living/programs
living=$(pwd)/tests/living/living
long=
[ "${1-}" = --long ] && long=yes

. "$srcdir/tests/tap.sh"
needs_walker "$living"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/lib"
report=${LIVING_REPORT:-$scratch/report}
: >"$report"

if [ -n "$long" ]; then
  steps=${LIVING_STEPS:-2000000} samples=${LIVING_SAMPLES:-10000}
else
  steps=60000 samples=700
fi

convert ()
{
  "$CFI2SFRAME" --format="$LIVING_FORMAT" -q -o "$2" "$1"
}

# take_libraries FILE: converted copies of the libraries it needs.
take_libraries ()
{
  libraries_of "$1" | while read -r library; do
    name=$(library_name "$library")
    [ -e "$scratch/lib/$name" ] || convert "$library" "$scratch/lib/$name"
  done
}

# take FILE: a converted copy of FILE, and of the libraries it needs.
take ()
{
  convert "$1" "$scratch/bin/${1##*/}" && take_libraries "$1" \
    || result "not ok" "$1 can be converted"
}

# walk NAME OPTIONS -- PROGRAM [ARGUMENT]...: trace a program taken before,
# loaded by the converted loader.
walk ()
{
  name=$1
  shift
  options=${LIVING_READER:+--reader=$LIVING_READER}
  while [ "$1" != -- ]; do
    options="$options $1"
    shift
  done
  shift
  program=$scratch/bin/$1
  shift
  if [ ! -e "$program" ]; then
    skip "$name: not here"
    return
  fi
  # shellcheck disable=SC2086
  timeout 900 "$living" $options --report="$scratch/one" -- \
    "$scratch/lib/ld.so" --library-path "$scratch/lib" "$program" "$@" \
    >"$scratch/output" 2>"$scratch/errors" </dev/null
  judge "$name" $?
}

judge ()
{
  case $2 in
    0) result ok "$1" ;;
    77) skip "$1: tracing is not permitted here" ;;
    *)
      result "not ok" "$1 (exit status $2)"
      sed 's/^/# /' "$scratch/errors"
      ;;
  esac
  [ ! -s "$scratch/one" ] || {
    sed "s|^{\"program\":\"[^\"]*\"|{\"program\":\"$1\"|" "$scratch/one" \
      | tee -a "$report" | cut -c1-700 | sed 's/^/# /'
    rm "$scratch/one"
  }
}

# The test programs.  Lazy binding is stepped through; a realigned stack needs
# its own register, which only the topmost frame has.  longjmp gives the caller
# another SP than the ABI: no row can say that.
$CC -O2 -g0 -Wl,-z,lazy -o "$scratch/stacks" "$programs/stacks.c" -lm -ldl \
  -pthread || skip "stacks.c cannot be compiled"
take "$scratch/stacks"
libm=$(ldconfig -p 2>/dev/null | sed -n 's/.*libm\.so\.6.*x86-64.*=> //p' | head -n 1)
[ -z "$libm" ] || convert "$libm" "$scratch/lib/libm-opened.so"
case $LIVING_FORMAT in
  3) bar=99.9 allowed=register,return-address,sp-rule ;;
  *) bar=90 allowed=register,no-row,return-address,sp-rule ;;
esac

# Proof that a wrong row does not go unnoticed.
if "$CFI2SFRAME" --no-share --format="$LIVING_FORMAT" -q \
  -o "$scratch/unshared" "$scratch/stacks" \
  && python3 "$srcdir/tests/prove/wrong_rows.py" "$scratch/unshared" \
    "$scratch/bin/wrong" fp-sign; then
  "$living" --sample=200 --report="$scratch/one" -- "$scratch/lib/ld.so" \
    --library-path "$scratch/lib" "$scratch/bin/wrong" mixture \
    >"$scratch/output" 2>"$scratch/errors"
  status=$?
  case $status in
    1) result ok "wrong rows are noticed" ;;
    77) skip "wrong rows: tracing is not permitted here" ;;
    *) result "not ok" "wrong rows are noticed (exit status $status)" ;;
  esac
  rm -f "$scratch/one"
else
  result "not ok" "wrong rows are noticed (no file to try)"
fi

walk "loading a program, step by step" --step=$steps -- stacks
walk "lazy binding, step by step" --step=$steps --entry=/stacks --bar=$bar \
  --allow=$allowed -- stacks
for mode in signal altstack longjmp threads children mixture; do
  walk "$mode" --sample=$samples --bar=$bar --allow=$allowed -- stacks $mode
done
# The program's CFI in .debug_frame, that of the libraries in .eh_frame.
if $CC -O2 -g -fno-asynchronous-unwind-tables -Wl,-z,lazy \
  -o "$scratch/debug_frame" "$programs/stacks.c" -lm -ldl -pthread; then
  take "$scratch/debug_frame"
  for mode in mixture altstack; do
    walk ".debug_frame, $mode" --sample=$samples --bar=$bar --allow=$allowed \
      -- debug_frame $mode
  done
else
  skip "no programs with .debug_frame"
fi
walk "dlopen" --sample=$samples --bar=$bar --allow=$allowed -- stacks \
  dlopen "$scratch/lib/libm-opened.so"

if $CC -O2 -g0 -static-pie -o "$scratch/static" "$programs/stacks.c" -lm \
  -pthread 2>/dev/null && convert "$scratch/static" "$scratch/bin/static"; then
  # shellcheck disable=SC2086
  "$living" ${LIVING_READER:+--reader=$LIVING_READER} \
    --sample=$samples --bar=$bar --allow=$allowed \
    --report="$scratch/one" -- "$scratch/bin/static" mixture \
    >"$scratch/output" 2>"$scratch/errors"
  judge "static-pie" $?
else
  skip "static-pie programs cannot be made here"
fi

: "${CXX:=c++}"
if $CXX -O2 -g0 -o "$scratch/throws" "$programs/throws.cc" 2>/dev/null; then
  take "$scratch/throws"
  walk "throw and catch" --sample=$samples --bar=$bar --allow=$allowed \
    -- throws
else
  skip "no C++ compiler"
fi

bash=$(command -v bash) && take "$bash"
# shellcheck disable=SC2016
script='f () { local x=$1; echo "$x" >/dev/null; }
  i=0; while :; do f $i; i=$((i+1));
  [ $((i % 500)) -ne 0 ] || (f sub; f sub); done'
walk "bash -c, step by step" --step=$steps --entry=/bash --bar=$bar \
  --allow=$allowed -- bash -c "$script"
walk "bash, functions and subshells" --sample=$samples --bar=$bar \
  --allow=$allowed -- bash -c "$script"

# Not what is first in PATH: that may be a script.
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))' \
  2>/dev/null)
if [ -n "$python" ]; then
  take "$python"
  PYTHONHOME=$("$python" -c 'import sys; print(sys.prefix)')
  mkdir "$scratch/dynload"
  for module in "$("$python" -c 'import sysconfig
print(sysconfig.get_path("platstdlib"))')"/lib-dynload/*.so; do
    convert "$module" "$scratch/dynload/${module##*/}"
    take_libraries "$module"
  done
  PYTHONPATH=$scratch/dynload
  export PYTHONHOME PYTHONPATH
  walk "python3" --sample=$samples --bar=$bar --allow=$allowed -- \
    "${python##*/}" -S -c '
import json, re
try:
    import sqlite3
    base = sqlite3.connect(":memory:")
    base.create_function("twice", 1, lambda x: 2 * x)
    base.execute("create table t (a)")
    base.executemany("insert into t values (?)", [(i,) for i in range(200)])
except ImportError:
    base = None
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
while True:
    fib(15); deep(200)
    if base:
        base.execute("select sum(twice(a)) from t order by 1").fetchall()
    json.loads(json.dumps({"a": [1, 2.5, None] * 50}))
    re.findall(r"(a|b)*c", "abababc" * 50); sorted(range(1000), key=lambda x: -x)
'
fi

if perl=$(command -v perl); then
  take "$perl"
  walk "perl" --sample=$samples --bar=$bar --allow=$allowed -- perl -e '
    sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) }
    while (1) { f(15); my @a = sort { $b <=> $a } map { ($_*7919)%1000 } 1..1000;
    $_ = "x" x 500; s/x(x*)$/y$1/; }'
fi

if git=$(command -v git) && [ -e "$srcdir/.git" ]; then
  take "$git"
  walk "git log -p" --restart --sample=$samples --bar=$bar --allow=$allowed -- \
    git -C "$srcdir" log -p --all
fi

# Other machines, by qemu's user emulation: one static file.
foreign_steps=1000
[ -z "$long" ] || foreign_steps=${LIVING_STEPS:-60000}
for machine in aarch64 s390x; do
  compiler=$machine-linux-gnu-gcc
  if ! command -v $compiler >/dev/null || ! command -v qemu-$machine >/dev/null
  then
    skip "$machine: no $compiler or no qemu-$machine (Debian: qemu-user)"
  elif ! $compiler -O2 -static "$programs/stacks.c" -lm -pthread \
    -o "$scratch/$machine" 2>"$scratch/errors"; then
    skip "$machine: no static libraries"
  elif ! convert "$scratch/$machine" "$scratch/bin/$machine"; then
    result "not ok" "$machine: conversion"
  else
    for mode in mixture longjmp; do
      timeout 900 "$(pwd)/tests/living/living_qemu" --step="$foreign_steps" \
        "qemu-$machine" "$scratch/bin/$machine" $mode \
        >"$scratch/one" 2>"$scratch/errors" </dev/null
      judge "$machine under qemu, $mode" $?
    done
  fi
done

# The same with rows from the code alone: where SFrame is made, the CFI has
# another name.
if [ ! -e "$scratch/aarch64" ]; then
  skip "rows from aarch64 code: no program"
elif ! aarch64-linux-gnu-objcopy --rename-section .eh_frame=.other \
  --remove-section .eh_frame_hdr "$scratch/aarch64" "$scratch/bare"; then
  result "not ok" "rows from aarch64 code: objcopy"
elif ! "$CFI2SFRAME" --analyze --format="$LIVING_FORMAT" -q \
  -o "$scratch/bin/bare" "$scratch/bare" 2>"$scratch/errors"; then
  if grep -q "cannot analyse" "$scratch/errors"; then
    skip "rows from aarch64 code: not in this build"
  else
    result "not ok" "rows from aarch64 code: conversion"
  fi
else
  for mode in mixture longjmp; do
    timeout 900 "$(pwd)/tests/living/living_qemu" --step="$foreign_steps" \
      --cfi="$scratch/aarch64" qemu-aarch64 "$scratch/bin/bare" $mode \
      >"$scratch/one" 2>"$scratch/errors" </dev/null
    judge "rows from aarch64 code under qemu, $mode" $?
  done
fi

if [ -n "$long" ]; then
  cc1=$($CC -print-prog-name=cc1)
  if [ -x "$cc1" ] && take "$cc1"; then
    $CC -E "$programs/stacks.c" -o "$scratch/big.i"
    walk "gcc compiling" --restart --sample=$samples --bar=$bar --allow=$allowed -- \
      cc1 -quiet -O3 -fpreprocessed "$scratch/big.i" -o /dev/null
  fi
  if openssl=$(command -v openssl) && take "$openssl"; then
    for what in sha256 aes-256-gcm rsa2048 ecdsap256 ed25519 chacha20-poly1305; do
      evp=
      case $what in aes*|chacha*) evp=-evp ;; esac
      # Functions with CFI that no SFrame row can say are left out.
      # shellcheck disable=SC2086
      walk "openssl speed $what" --restart --sample=$samples --bar=$bar \
        --allow=$allowed,no-row -- openssl speed -seconds 3 $evp $what
    done
  fi
fi

echo "1..$n"
