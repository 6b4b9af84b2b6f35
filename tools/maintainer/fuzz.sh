#!/bin/sh
# Fuzz the project with libFuzzer, AddressSanitizer and UBSan:
#   sh tools/maintainer/fuzz.sh MINUTES [TARGET...]
# builds in $FUZZ_DIR (default: fuzz-work in $TMPDIR or /tmp), which keeps the
# corpus between runs, and runs the targets (all those of tests/fuzz/target.c)
# for MINUTES each, as many at a time as there are cores, or $FUZZ_JOBS.
# Findings are left in $FUZZ_DIR/findings.  $FUZZ_BUILD is a folder where the
# project is built already.
# With $FUZZ_RUNS each target makes so many executions from the corpus in the
# tree alone and a fixed seed, so that two runs of one version do the same.
# Exit status: 0 nothing found, 1 something found, 77 no clang with libFuzzer.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
minutes=${1-}
case $minutes in
  '' | *[!0-9.]*)
    echo "usage: sh tools/maintainer/fuzz.sh MINUTES [TARGET...]" >&2
    exit 2 ;;
esac
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/common.sh"
targets=${*:-$(sed -n 's/^  { "\([a-z_]*\)", fuzz_.*/\1/p' \
  "$root/tests/fuzz/target.c")}
dir=${FUZZ_DIR:-${TMPDIR:-/tmp}/fuzz-work}
seconds=$(awk "BEGIN { printf \"%d\", $minutes * 60 }")
clang=${CLANG:-clang}

can_fuzz ()
{
  probe=$(mktemp -d) || return 1
  printf '%s\n' '#include <stddef.h>' \
    'int LLVMFuzzerTestOneInput (const unsigned char *b, size_t n)' \
    '{ return !b && n; }' >"$probe/probe.c"
  "$clang" -fsanitize=fuzzer,address,undefined -o "$probe/probe" \
    "$probe/probe.c" 2>/dev/null && "$probe/probe" -runs=1 2>/dev/null
  can=$?
  rm -rf "$probe"
  return $can
}

can_fuzz || { say "no clang with libFuzzer here"; exit 77; }
mkdir -p "$dir" || exit 1
cd "$dir" || exit 1

# The sources may have been configured before; then this is quick.
make_build ()
{
  [ -x "$root/configure" ] || (cd "$root" && quietly autoreconf -fi) || return
  if [ -z "$(find build/Makefile -newer "$root/configure" \
               -newer "$root/Makefile.in" 2>/dev/null)" ]; then
    rm -rf build && mkdir build && (cd build && quietly "$root/configure" -q) \
      || return
  fi
  quietly make -C build V=0 -j"$(cores)"
}

build=${FUZZ_BUILD:-$dir/build}
# A few executions take less time than optimising what is executed.
optimization=-O1
[ -z "${FUZZ_RUNS-}" ] || optimization=-O0
[ -n "${FUZZ_BUILD-}" ] || make_build || exit 1
quietly make -C "$build" V=0 -j"$(cores)" FUZZ_CC="$clang" \
  FUZZ_OPTIMIZATION=$optimization fuzz-work/fuzz tests/fuzz/corpus.stamp || exit 1
if [ ! -d seeds ] && [ -z "${FUZZ_RUNS-}" ]; then
  bash "$root/tests/fuzz/make_seeds.sh" seeds "$build/src/cfi2sframe" >/dev/null
fi

# One target; its log says what was done.
run_target ()
{
  mkdir -p "corpus/$1" "findings/$1"
  # libFuzzer counts time on the clock, and leaves a "slow unit" among the
  # findings after 10 s, which happens on a machine with other work.
  if [ -n "${FUZZ_RUNS-}" ]; then
    rm -rf "corpus/$1" && mkdir "corpus/$1"
    set -- "$1" "-runs=$FUZZ_RUNS" -seed=1 -timeout=100 -report_slow_units=100
  else
    set -- "$1" "seeds/$1" -timeout=10
  fi
  target_name=$1
  shift
  # What is freed is kept from being used again: 16 MiB of it, more than an input's
  # run may have at a time (fuzz_run).  The default, 256, is in no processor's cache,
  # which makes runs take half as long again.
  FUZZ_TARGET=$target_name ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=16 \
    nice -n 15 "$build/fuzz-work/fuzz" "corpus/$target_name" \
    "$build/tests/fuzz/corpus/$target_name" "$@" -max_total_time="$seconds" \
    -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=24000 \
    -print_final_stats=1 -artifact_prefix="findings/$target_name/" \
    >"log.$target_name" 2>&1
}

jobs=${FUZZ_JOBS:-$(cores)}
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
