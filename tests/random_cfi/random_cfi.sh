#!/bin/sh
# Random call-frame programs, assembled, linked, converted in every version,
# and compared with another interpreter, libdw's, by sframe-prove.
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
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT

# proved OPTIONS: with --compact the padding behind functions has rows, too.
proved ()
{
  $prove "$scratch/out" >"$log" 2>&1 || return
  case $1 in *compact) ;; *) grep -q ' without-cfi 0 ' "$log" ;; esac
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
    if ! "$CFI2SFRAME" $options -o "$scratch/out" "$scratch/in" \
       || ! "$CFI2SFRAME" -q --check "$scratch/out"; then
      result "not ok" "$name: converted and checked"
    elif [ -x $prove ]; then
      check "$name" proved "$options"
    else
      skip "$name: libdw not found"
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
