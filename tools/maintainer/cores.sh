#!/bin/bash
# Does sframe-stack find in core files the frames that libdwfl finds?
#   bash tools/maintainer/cores.sh [-n CORES] [-b BUILD]
#     -n CORES   how many core files (default: 200)
#     -b BUILD   build tree (default: build)
# Kills programs at random moments: a C program in signal handlers, on other stacks,
# after longjmp and in threads; bash, perl and Python.  Prints each difference, and
# totals; half a second for each core file.
# Exit status: 0 no difference, 1 a difference, 2 wrong usage, 77 no core files are
# written here.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
die_status=2

cores=200 build=
while getopts n:b: option; do
  case $option in
    n) cores=$OPTARG ;;
    b) build=$OPTARG ;;
    *) usage ;;
  esac
done
find_build "$build"
stack=$build/stacks/sframe-stack
[ -x "$stack" ] || die "$stack: not built (needs libdw)"
make_work cores
cd "$work" || exit 2
"${CC:-cc}" -O2 -g0 -o stacks "$top/tests/living/programs/stacks.c" -lm -ldl \
  -pthread || exit 2

# These run until they are killed.
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
