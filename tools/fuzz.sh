#!/bin/sh
# Fuzz the project with libFuzzer, AddressSanitizer and UBSan:
#   sh tools/fuzz.sh MINUTES [TARGET...]
# builds in $FUZZ_DIR (default: fuzz-work in $TMPDIR or /tmp), which keeps the
# corpus between runs, and runs the targets (all of them: convert layout
# existing undo cfi sframe object cunwind unwind_info) for MINUTES each, as many
# at a time as there are cores, or $FUZZ_JOBS.  Findings are left in $FUZZ_DIR/findings.
# Exit status: 0 nothing found, 1 something found, 77 no clang with libFuzzer.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
minutes=${1-}
case $minutes in
  '' | *[!0-9.]*)
    echo "usage: sh tools/fuzz.sh MINUTES [TARGET...]" >&2
    exit 2 ;;
esac
shift
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/common.sh"
targets=${*:-convert layout existing undo cfi sframe object \
  cunwind unwind_info}
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
mkdir -p "$dir/build" || exit 1
cd "$dir" || exit 1

# The sources may have been configured before; then this is quick.
[ -x "$root/configure" ] || (cd "$root" && quietly autoreconf -fi) || exit 1
if [ -z "$(find build/Makefile -newer "$root/configure" \
             -newer "$root/Makefile.in" 2>/dev/null)" ]; then
  rm -rf build && mkdir build || exit 1
  (cd build && quietly "$root/configure" -q --enable-fuzzers \
    --disable-shared CC="$clang" CFLAGS="-O1 -g -fno-omit-frame-pointer \
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all") \
    || exit 1
fi
quietly make -C build V=0 -j"$(cores)" tests/fuzz/fuzz src/cfi2sframe \
  || exit 1
if [ ! -d seeds ]; then
  bash "$root/tests/fuzz/make_seeds.sh" seeds build/src/cfi2sframe >/dev/null
fi

# One target; its log says what was done.
run_target ()
{
  mkdir -p "corpus/$1" "findings/$1"
  FUZZ_TARGET=$1 ASAN_OPTIONS=detect_leaks=1 \
    nice -n 15 build/tests/fuzz/fuzz "corpus/$1" \
    "$root/tests/data/fuzz/$1" "seeds/$1" -max_total_time="$seconds" \
    -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=24000 \
    -print_final_stats=1 -artifact_prefix="findings/$1/" >"log.$1" 2>&1
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
