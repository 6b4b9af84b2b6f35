#!/bin/sh
# Programs linked in random ways: run, converted, run, stripped and patched by
# other tools, run again, undone, compared.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: random_layout.sh [--tap] SEEDS [FIRST]
#   --tap   print TAP for make check (default: only what fails, and totals)
# Environment: srcdir, builddir, CFI2SFRAME, CC, RANDOM_LAYOUT_DIR (scratch;
# kept when given, with the files of seeds that failed).
#
# A seed fails if the unconverted program runs and anything that is made of the
# converted one does not say the same.  Tools that fail on, or break, the
# unconverted file are left out.  A refusal is not a failure, but counted: most
# programs have to be converted.

# Options are lists.
# shellcheck disable=SC2086
: "${srcdir:=.}" "${builddir:=build}"
srcdir=$(cd "$srcdir" && pwd) || exit 99
builddir=$(cd "$builddir" && pwd) || exit 99
: "${CFI2SFRAME:=$builddir/src/cfi2sframe}" "${CC:=gcc}"
LC_ALL=C
export LC_ALL
unset LD_LIBRARY_PATH LD_PRELOAD

tap=false
if [ "$1" = --tap ]; then
  tap=true
  shift
fi
count=${1:-12}
first=${2:-1}
if [ -n "$RANDOM_LAYOUT_DIR" ]; then
  dir=$RANDOM_LAYOUT_DIR
  mkdir -p "$dir" || exit 99
else
  dir=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-layout.XXXXXX") || exit 99
  trap 'rm -rf "$dir"' EXIT
  trap 'exit 99' HUP INT TERM
fi
cd "$dir" || exit 99
cp "$srcdir/tests/matrix/random_prog.c" prog.c || exit 99

have ()
{
  command -v "$1" >/dev/null 2>&1
}

# below N: a number below N in $random, the next of the seed's.
below ()
{
  state=$(((state * 1103515245 + 12345) & 2147483647))
  random=$(((state >> 12) % $1))
}

# one_of WORD...: one of them in $chosen; "-" stands for nothing.
one_of ()
{
  below $#
  shift "$random"
  chosen=$1
  [ "$chosen" != - ] || chosen=
}

# link OPTION...: add a linker option.
link ()
{
  for link_option; do
    [ -z "$link_option" ] || options="$options -Wl,$link_option"
  done
}

choose_machine ()
{
  below 8
  machine=x86_64 compiler=$CC runner= strip=strip objcopy=objcopy
  [ "$random" -lt 6 ] && return
  if [ "$random" -eq 6 ]; then machine=aarch64; else machine=s390x; fi
  if have $machine-linux-gnu-gcc && have qemu-$machine; then
    compiler=$machine-linux-gnu-gcc
    runner="qemu-$machine -L /usr/$machine-linux-gnu"
    strip=$machine-linux-gnu-strip objcopy=$machine-linux-gnu-objcopy
  else
    machine=x86_64
  fi
}

choose_linker ()
{
  one_of bfd bfd gold lld lld mold mold
  linker=$chosen
  case $machine in
    x86_64) have "ld.$linker" || linker=bfd ;;
    aarch64) [ "$linker" = lld ] && have ld.lld || linker=bfd ;;
    *) linker=bfd ;;
  esac
  options="-fuse-ld=$linker"
}

choose_options ()
{
  one_of -pie -pie -pie -no-pie -no-pie -static -static-pie
  kind=$chosen
  one_of - - -z,max-page-size=0x10000 -z,max-page-size=0x200000
  link "$chosen"
  one_of - - -z,separate-code -z,noseparate-code
  link "$chosen"
  one_of - --build-id=sha1 --build-id=none --build-id=0x1234 --build-id=md5
  link "$chosen"
  one_of - --hash-style=gnu --hash-style=sysv --hash-style=both
  link "$chosen"
  one_of - -z,relro -z,norelro -z,now
  link "$chosen"
  one_of - --export-dynamic --gc-sections --no-eh-frame-hdr -- -x -s
  [ "$chosen" = -- ] || link "$chosen"
  if [ "$linker" = lld ]; then
    one_of - - --no-rosegment -z,separate-loadable-segments -z,nognustack
    link "$chosen"
  fi
  one_of - - --section-start=.late=0x7000000 --defsym=nothing=0
  [ "$linker" = bfd ] || chosen=
  link "$chosen"
}

choose_contents ()
{
  one_of 0 1 4096 5000 70000 1000003
  defines="-DBSS=$chosen"
  one_of 0 1 40 4000
  defines="$defines -DEXPORTS=$chosen"
  one_of 0 0 1 2 3
  defines="$defines -DNOTES=$chosen"
  one_of 4 4 8
  defines="$defines -DNOTE_ALIGN=$chosen"
  one_of 0 0 1 900
  defines="$defines -DTLS=$chosen"
  one_of 3 30 300
  functions=$chosen
  one_of -O2 -O1 -Os
  defines="$defines $chosen"
}

# Functions and data of a size that the seed gives.
write_many ()
{
  echo "long many (long a);"
  many_i=0
  while [ $many_i -lt "$functions" ]; do
    echo "__attribute__ ((noinline, noclone)) static long f$many_i (long a)" \
      "{ volatile long b[$((many_i % 7 + 1))] = { a * $many_i + 3 };" \
      "return b[0] ^ a; }"
    many_i=$((many_i + 1))
  done
  echo "long many (long a) {"
  many_i=0
  while [ $many_i -lt "$functions" ]; do
    echo "a = f$many_i (a);"
    many_i=$((many_i + 1))
  done
  echo "return a; }"
}

# says FILE: run it; what it says of notes in the file "notes", the rest in
# "said".  patchelf sorts the headers, and with them what the program finds.
says ()
{
  timeout 60 $runner "./$1" one two >words 2>/dev/null </dev/null || return 1
  grep ' note \| build-id$' words | sort -u >notes
  grep -v ' note \| build-id$' words | sort >said
}

# Linkers lay out notes so that not all are found; more may be found now.
same_as_before ()
{
  says "$1" && cmp -s said said.before \
    && [ -z "$(comm -13 notes notes.before)" ]
}

apply ()
{
  case $1 in
    strip) $strip "$2" ;;
    strip-debug) $strip -g "$2" ;;
    objcopy) $objcopy "$2" ;;
    eu-strip) eu-strip "$2" ;;
    llvm-strip) llvm-strip "$2" ;;
    llvm-objcopy) llvm-objcopy "$2" ;;
    patchelf) patchelf --set-rpath /nowhere/at/all "$2" ;;
  esac >/dev/null 2>&1 </dev/null
}

# patchelf 0.14 crashes at random, or breaks a file at random.
tool_is_good ()
{
  for tool_try in 1 2 3; do
    cp prog victim
    if ! apply "$1" victim || ! same_as_before victim; then
      return 1
    fi
    [ "$1" = patchelf ] || return 0
  done
}

# try_tool TOOL: whether it leaves the converted file as good as the old one.
try_tool ()
{
  case $1 in
    *-strip | *objcopy | patchelf) have "$1" || return 0 ;;
  esac
  tool_is_good "$1" || return 0
  cp converted victim
  apply "$1" victim && same_as_before victim \
    && "$CFI2SFRAME" --dump victim >rows 2>&1 && cmp -s rows rows.before \
    && return 0
  fault="$1"
  return 1
}

# try_seed SEED: 0 good, 1 bad with $fault, 2 refused, 3 no such program.
try_seed ()
{
  state=$(($1 * 2654435 + 12345))
  fault= strategy=
  choose_machine
  choose_linker
  choose_options
  choose_contents
  write_many >many.c
  case $kind in -static*) options="$options -Wl,--as-needed" ;; esac
  $compiler $defines $kind -o prog prog.c many.c $options >link.log 2>&1 \
    || return 3
  says prog || return 3
  mv said said.before
  mv notes notes.before
  if ! "$CFI2SFRAME" --stats=json -o converted prog >stats 2>errors; then
    fault=$(head -n 1 errors)
    case $fault in *self-check*) return 1 ;; esac
    return 2
  fi
  strategy=$(sed -n 's/.*"strategy" *: *"\([^"]*\)".*/\1/p' stats)
  [ -n "$strategy" ] || return 2
  fault=run
  same_as_before converted || return 1
  fault=check
  "$CFI2SFRAME" --check converted >/dev/null 2>&1 || return 1
  "$CFI2SFRAME" --dump converted >rows.before 2>&1
  for seed_tool in strip strip-debug objcopy eu-strip llvm-strip llvm-objcopy \
    patchelf; do
    try_tool $seed_tool || return 1
  done
  fault=undo
  cp converted victim
  "$CFI2SFRAME" --undo victim >/dev/null 2>&1 && cmp -s victim prog
}

bad=0 refused=0 absent=0 seed=$first number=0 strategies=
$tap && printf 'TAP version 13\n1..%d\n' $((count + 1))
while [ $number -lt "$count" ]; do
  rm -f prog converted victim
  try_seed $seed
  result=$?
  number=$((number + 1))
  what="seed $seed: $machine $linker $kind $strategy"
  strategies="$strategies $strategy"
  case $result in
    0) verdict="ok $number - $what" ;;
    1) verdict="not ok $number - $what: $fault ($options $defines)"
       bad=$((bad + 1))
       [ -z "$RANDOM_LAYOUT_DIR" ] || {
         cp prog "bad-$seed"
         cp converted "bad-$seed.converted" 2>/dev/null
       } ;;
    2) verdict="ok $number - $what # refused: $fault ($options $defines)"
       refused=$((refused + 1)) ;;
    3) verdict="ok $number - $what # SKIP not linked, or does not run"
       absent=$((absent + 1)) ;;
  esac
  if $tap || [ $result -eq 1 ] || [ $result -eq 2 ]; then echo "$verdict"; fi
  seed=$((seed + 1))
done
converted=$((count - absent - refused))
verdict="ok $((number + 1)) - $converted of $((count - absent)) programs converted"
if [ $((refused * 2)) -gt $converted ]; then
  verdict="not $verdict"
  bad=$((bad + 1))
fi
if $tap; then
  echo "$verdict"
else
  echo "$count seeds, $bad broken, $refused refused, $absent not linked or not running"
  echo "$strategies" | tr ' ' '\n' | grep . | sort | uniq -c
fi
[ $bad -eq 0 ]
