#!/bin/bash
# Core files of programs that are killed at random moments: does sframe-stack
# find the frames that libdwfl finds?
#   bash tools/maintainer/cores.sh [-n CORES] [-b BUILD]
#     -n CORES   how many (default 200)
#     -b BUILD   build tree (default: build)
# Prints totals.  Exit status: 0 no difference, 1 a difference, 77 no core files
# are written here.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
cores=200 build=build
while getopts n:b: option; do
  case $option in
    n) cores=$OPTARG ;;
    b) build=$OPTARG ;;
    *) exit 2 ;;
  esac
done
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/common.sh"
die_status=2
stack=$(cd "$build" && pwd)/stacks/sframe-stack || die "no build tree"
work=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-cores.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
"${CC:-cc}" -O2 -g0 -o stacks "$root/tests/living/programs/stacks.c" -lm -ldl \
  -pthread || exit 2

# What runs, for ever, until it is killed.
programs=(
  "./stacks mixture" "./stacks signal" "./stacks altstack" "./stacks longjmp"
  "./stacks threads"
  "bash -c 'f () { local x=\$1; g \$x; }; g () { : \$((\$1 * 2)); }; while :; do f 3; done'"
  "perl -e 'sub f { my \$n = shift; \$n < 2 ? \$n : f(\$n-1) + f(\$n-2) } while (1) { f(15) }'"
)
python=$(PATH=/usr/bin:/bin command -v python3) && programs+=("$python -S -c '
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
while True: fib(15); sorted(range(1000), key=lambda x: -x)'")
ulimit -c unlimited

written=0 same=0 different=0 threads=0 frames=0 outermost=0
for ((i = 0; i < cores; i++)); do
  rm -f core*
  (eval "exec ${programs[i % ${#programs[@]}]}") >/dev/null 2>&1 &
  pid=$!
  sleep "0.$((10 + RANDOM % 40))"
  kill -SEGV $pid
  wait $pid 2>/dev/null
  core=$(compgen -G 'core*') || continue
  written=$((written + 1))
  if "$stack" --dwarf "$core" >output 2>errors; then
    same=$((same + 1))
  else
    different=$((different + 1))
    echo "core $i: ${programs[i % ${#programs[@]}]}"
    grep -E '^[SD]|^  \(|DWARF' output
    cat errors
  fi
  threads=$((threads + $(grep -c '^Thread' output)))
  frames=$((frames + $(grep -c '^. #' output)))
  outermost=$((outermost + $(grep -c '^  (the outermost frame)' output)))
done
[ $written -gt 0 ] || {
  echo "cores.sh: no core file was written (core_pattern, see core(5))" >&2
  exit 77
}
echo "$written cores, $threads threads, $frames frames: $same the same, $different different;" \
  "$outermost walks to the outermost frame"
[ $different -eq 0 ]
