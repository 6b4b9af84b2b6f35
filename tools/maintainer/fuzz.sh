#!/bin/sh
# Does libFuzzer find anything, with AddressSanitizer and UBSan?
#   sh tools/maintainer/fuzz.sh [OPTION]... MINUTES [TARGET...]
#     -b BUILD     build tree (default: one of its own, in DIR)
#     -d DIR       where it keeps the corpus between runs, and leaves findings/
#                  (default: fuzz-work in $TMPDIR or /tmp)
#     -j N         N targets at a time (default: processors)
#     -n RUNS      so many executions of each target, from the corpus of the tree alone
#                  and a fixed seed: two runs of one version do the same
# Runs each TARGET (default: all those of tests/fuzz/target.c) for MINUTES.  Prints a
# line for each: executions, edges, features, findings.
# Needs clang with libFuzzer; the first run builds and makes seeds for minutes.
# For example: sh tools/maintainer/fuzz.sh 1 sframe
# Exit status: 0 nothing found, 1 something found, 2 wrong usage, 77 no libFuzzer.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"

build='' dir=${TMPDIR:-/tmp}/fuzz-work jobs=$(cores) count=
while getopts b:d:j:n: option; do
  case $option in
    b) build=$OPTARG ;;
    d) dir=$OPTARG ;;
    j) jobs=$OPTARG ;;
    n) count=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
minutes=${1-}
case $minutes in
  '' | *[!0-9.]*) usage ;;
esac
shift
case $jobs,$count in
  ,* | *[!0-9,]*) usage ;;
esac
all_targets=$(sed -n 's/^  { "\([a-z_]*\)", fuzz_.*/\1/p' \
  "$top/tests/fuzz/target.c" | paste -sd' ')
for target; do
  case " $all_targets " in
    *" $target "*) ;;
    *) die_status=2 die "$target: no target ($all_targets)" ;;
  esac
done
targets=${*:-$all_targets}
seconds=$(awk "BEGIN { printf \"%d\", $minutes * 60 }")

can_fuzz ()
{
  probe=$(mktemp -d) || return 1
  printf '%s\n' '#include <stddef.h>' \
    'int LLVMFuzzerTestOneInput (const unsigned char *b, size_t n)' \
    '{ return !b && n; }' >"$probe/probe.c"
  clang -fsanitize=fuzzer,address,undefined -o "$probe/probe" \
    "$probe/probe.c" 2>/dev/null && "$probe/probe" -runs=1 2>/dev/null
  can=$?
  rm -rf "$probe"
  return $can
}

can_fuzz || { say "no clang with libFuzzer here"; exit 77; }
mkdir -p "$dir" || exit 1
cd "$dir" || exit 1

# Optimising takes longer than a few executions.
optimization=-O1
[ -z "$count" ] || optimization=-O0
if [ -n "$build" ]; then
  find_build "$build"
else
  build=$PWD/build
  (cd "$top" && build_in "$build") || exit 1
fi
quietly make -C "$build" V=0 -j"$(cores)" \
  FUZZ_OPTIMIZATION=$optimization fuzz-work/fuzz tests/fuzz/corpus.stamp || exit 1
if [ ! -d seeds ] && [ -z "$count" ]; then
  bash "$top/tests/fuzz/make_seeds.sh" seeds "$build/src/cfi2sframe" >/dev/null
fi

# Run the target $1; its output is in log.$1.
run_target ()
{
  mkdir -p "corpus/$1" "findings/$1"
  # libFuzzer measures elapsed time.  After 10 s it leaves a "slow unit" among the
  # findings, which happens on a machine that does other things.
  if [ -n "$count" ]; then
    rm -rf "corpus/$1" && mkdir "corpus/$1"
    set -- "$1" "-runs=$count" -seed=1 -timeout=100 -report_slow_units=100
  else
    set -- "$1" "seeds/$1" -timeout=10
  fi
  target_name=$1
  shift
  # The quarantine keeps freed memory from being used again.  16 MiB are more than an
  # input's run may have at a time (fuzz_run); the default, 256, exceeds processors'
  # caches, and runs take half as long again.
  FUZZ_TARGET=$target_name ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=16 \
    nice -n 15 "$build/fuzz-work/fuzz" "corpus/$target_name" \
    "$build/tests/fuzz/corpus/$target_name" "$@" -max_total_time="$seconds" \
    -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=24000 \
    -print_final_stats=1 -artifact_prefix="findings/$target_name/" \
    >"log.$target_name" 2>&1
}

running=0
for target in $targets; do
  run_target "$target" &
  running=$((running + 1))
  if [ "$running" -ge "$jobs" ]; then
    wait
    running=0
  fi
done
wait

status=0
for target in $targets; do
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "log.$target")
  coverage=$(sed -n 's/.* cov: \([0-9]*\) ft: \([0-9]*\) .*/\1 \2/p' \
    "log.$target" | tail -n 1)
  found=$(find "findings/$target" -type f | wc -l)
  say "$target: ${runs:-0} executions, ${coverage% *} edges," \
    "${coverage#* } features, $found findings"
  [ "$found" -eq 0 ] && [ -n "$runs" ] || status=1
  grep -h -e 'property violated' -e '^SUMMARY' "log.$target" | sort -u
done
exit $status
