#!/bin/sh
# Random call-frame programs, assembled, linked, converted in every version,
# and compared with two other interpreters: libdw's (by sframe-prove) and
# readelf's.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: random_cfi.sh [PROGRAMS [SEED]]: that many per machine, default 100,
# in files of at most 100; run in the build directory.  tools/maintainer/long.sh is
# the long form.

set -u
. "$(dirname "$0")/../tap.sh"
: "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
programs=${1:-100}
seed=${2:-1}
prove=prove/sframe-prove
here=tests/random_cfi
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

# proved NAME: with --compact the padding behind functions has rows, too.
proved ()
{
  $prove "$scratch/out" >"$scratch/log" 2>&1 || return
  case $1 in *compact) ;; *) grep -q ' without-cfi 0 ' "$scratch/log" ;; esac
}

# compare NAME: is the converted file right?
compare ()
{
  if [ -x $prove ]; then
    log=$scratch/log
    check "$1: libdw" proved "$1"
  else
    skip "libdw not found"
  fi
  if readelf --debug-dump=frames-interp "$scratch/out" 2>/dev/null \
      | $here/against_readelf "$scratch/out" >"$scratch/log" 2>&1; then
    result ok "$1: readelf"
  else
    result "not ok" "$1: readelf"
  fi
  sed 's/^[^#]/# &/' "$scratch/log"
}

# try MACHINE SEED COUNT PREFIX FORMAT...
try ()
{
  machine=$1 this=$2 count=$3 prefix=$4
  shift 4
  $here/generate "$machine" "$this" "$count" >"$scratch/in.s"
  if ! "${prefix}as" -o "$scratch/in.o" "$scratch/in.s" \
     || ! "${prefix}ld" -shared -o "$scratch/in" "$scratch/in.o"; then
    result "not ok" "$machine, seed $this: assembled and linked"
    return
  fi
  for options in "$@"; do
    name="$machine, seed $this, $options"
    # shellcheck disable=SC2086
    if "$CFI2SFRAME" $options -o "$scratch/out" "$scratch/in" \
       && "$CFI2SFRAME" -q --check "$scratch/out"; then
      compare "$name"
    else
      result "not ok" "$name: converted and checked"
    fi
  done
}

all_of ()
{
  machine=$1 prefix=$2
  shift 2
  if ! command -v "${prefix}as" >/dev/null \
     || ! command -v "${prefix}ld" >/dev/null; then
    skip "no ${prefix}as and ${prefix}ld"
    return
  fi
  left=$programs this=$seed
  while [ "$left" -gt 0 ]; do
    count=100
    [ "$left" -ge 100 ] || count=$left
    try "$machine" "$this" "$count" "$prefix" "$@"
    left=$((left - count)) this=$((this + 1))
  done
}

own=
[ "$(uname -m)" = x86_64 ] || own=x86_64-linux-gnu-
all_of amd64 "$own" --format=3 "--format=3 --no-share" "--format=3 --compact" \
  --format=2 --format=2.0 --format=1
all_of aarch64 aarch64-linux-gnu- --format=3 --format=2 --format=2.0 \
  --format=1
all_of s390x s390x-linux-gnu- --format=3 --format=2
echo "1..$n"
