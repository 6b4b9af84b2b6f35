#!/bin/sh
# Single-step through programs whose rows come from their code (--analyze), and
# compare every frame with a shadow of the call stack (shadow.h).  Prints TAP.
#   shadow.sh [--long]
# The long form is what tools/maintainer/long.sh runs: mold linking, x265 and dav1d with
# a clip, and Free Pascal's compiler, where they are installed.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${CC:=cc}" "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
case $srcdir in /*) ;; *) srcdir=$PWD/$srcdir ;; esac
. "$srcdir/tests/tap.sh"
programs=$srcdir/tests/living/programs
living=$(pwd)/tests/living/living
steps=${SHADOW_STEPS:-12000}
long=
[ "${1-}" = --long ] && long=yes && steps=${SHADOW_STEPS:-500000}

needs_walker "$living"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-shadow.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
report=${SHADOW_REPORT:-$scratch/report}
mkdir lib

# analyze FILE COPY
analyze ()
{
  "$CFI2SFRAME" --analyze --verify-code -q -o "$2" "$1" 2>errors
}

# take NAME FILE...: converted copies of a program and of libraries of its own.
take ()
{
  program=$(readlink -f "$2") && [ -e "$program" ] \
    && analyze "$program" "$1" || return
  shift 2
  for library in "$@"; do
    analyze "$(readlink -f "$library")" "lib/${library##*/}" || return
  done
}

# follow NAME OPTION... -- PROGRAM [ARGUMENT]...
follow ()
{
  name=$1
  shift
  LD_LIBRARY_PATH=$scratch/lib timeout 900 "$living" --shadow \
    --step="$steps" --report=one "$@" >output 2>errors </dev/null
  case $? in
    0) result ok "$name" ;;
    77) skip "$name: tracing is not permitted here" ;;
    *)
      result "not ok" "$name"
      grep '^living:' errors | sed 's/^/# /'
      ;;
  esac
  [ ! -s one ] || {
    sed "s|^{\"program\":\"[^\"]*\"|{\"program\":\"$name\"|" one \
      | tee -a "$report" | sed 's/^/# /'
    rm one
  }
}

# A C program without CFI, and proof that a wrong row would be noticed.
if $CC -O2 -g0 -fno-asynchronous-unwind-tables -fno-unwind-tables \
  -o steps "$programs/steps.c" -lm && take c steps; then
  follow "C without CFI" --entry=/c -- "$scratch/c"
  if "$CFI2SFRAME" --analyze --no-share -q -o unshared steps \
    && python3 "$srcdir/tests/prove/wrong_rows.py" unshared wrong fp-sign \
      2>/dev/null; then
    "$living" --shadow --step=12000 --entry=/wrong --report=one -- \
      "$scratch/wrong" >output 2>errors
    case $? in
      1) result ok "wrong rows are noticed" ;;
      77) skip "wrong rows: tracing is not permitted here" ;;
      *) result "not ok" "wrong rows are noticed" ;;
    esac
    rm -f one
  else
    skip "wrong rows: the fault cannot be made here"
  fi
elif grep -q 'cannot analyse' errors; then
  echo "1..0 # SKIP this build cannot analyse code"
  exit 0
else
  result "not ok" "C without CFI"
fi

if command -v musl-gcc >/dev/null \
  && musl-gcc -O2 -static -o musl-steps "$programs/steps.c"; then
  take musl musl-steps
  follow "musl" -- "$scratch/musl"
else
  skip "musl: no musl-gcc (Debian: apt-get install musl-tools)"
fi

if command -v fpc >/dev/null \
  && fpc -O2 -XX -Xs -FE. -FU. "$programs/steps.pas" >output 2>&1; then
  mv steps pascal-steps
  take pascal pascal-steps
  follow "Free Pascal" -- "$scratch/pascal"
else
  skip "Free Pascal: no fpc (Debian: apt-get install fp-compiler)"
fi

# One goroutine at a time, which is not interrupted by signals.
if command -v go >/dev/null \
  && HOME=$scratch GO111MODULE=off go build -ldflags '-s -w' -o go-steps \
    "$programs/steps.go" >output 2>&1; then
  take go go-steps
  GODEBUG=asyncpreemptoff=1 GOMAXPROCS=1
  export GODEBUG GOMAXPROCS
  follow "Go" -- "$scratch/go"
else
  skip "Go: no go (Debian: apt-get install golang-go)"
fi

if [ -n "$long" ]; then
  libraries=$(ldconfig -p 2>/dev/null \
    | sed -n 's/^.*lib\(x265\|dav1d\)\.so\.[0-9]* .*x86-64.*=> //p')
  of ()
  {
    printf '%s\n' "$libraries" | grep "lib$1\.so"
  }
  if take mold "$(command -v mold)"; then
    printf 'int main (void) { return 0; }\n' >main.c
    $CC -c main.c
    follow "mold linking" --entry=/mold -- "$scratch/mold" --no-fork \
      --threads=1 -e main -o linked main.o
  else
    skip "mold is not installed"
  fi
  compiler=$(find /usr/lib -name ppcx64 -type f 2>/dev/null | head -n 1)
  if [ -n "$compiler" ] && take ppcx64 "$compiler"; then
    follow "Free Pascal's compiler" -- "$scratch/ppcx64" -FU. -FE. \
      "$programs/steps.pas"
  else
    skip "Free Pascal's compiler is not installed"
  fi
  awk 'BEGIN {
    printf "YUV4MPEG2 W128 H96 F25:1 Ip A1:1 C420\n"
    for (n = 0; n < 4; n++) {
      printf "FRAME\n"
      for (i = 0; i < 128 * 96 * 3 / 2; i++)
        printf "%c", 32 + (i * (1 + int (i / 2048)) + 9 * n) % 90
    }
  }' >clip.y4m
  # shellcheck disable=SC2046
  if take x265 "$(command -v x265)" $(of x265); then
    follow "x265 encoding" --entry=/x265 -- "$scratch/x265" --input clip.y4m \
      --pools none --no-wpp --frame-threads 1 -o clip.265
  else
    skip "x265 is not installed"
  fi
  # shellcheck disable=SC2046
  if command -v aomenc >/dev/null \
    && aomenc --cpu-used=8 --ivf -o clip.ivf clip.y4m >output 2>&1 \
    && take dav1d "$(command -v dav1d)" $(of dav1d); then
    follow "dav1d decoding" --entry=/dav1d -- "$scratch/dav1d" --threads 1 \
      -i clip.ivf -o clip.out.y4m
  else
    skip "dav1d or aomenc is not installed"
  fi
fi

echo "1..$n"
