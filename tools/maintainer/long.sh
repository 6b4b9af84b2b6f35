#!/bin/sh
# The long form of a test: minutes to hours.
#   sh tools/maintainer/long.sh [-b BUILD] TEST [OPTION]... [ARGUMENT]...
#     -b BUILD       build tree (default: build); what TEST needs of it is made
# TEST is one of these; -o REPORT keeps its results, a JSON object per program:
#   faults           a fault at every single system call that writes
#   living [-f FORMAT] [-r STOPS] [-s STEPS] [-o REPORT]
#                    10,000 random stops in each program (-r), 2,000,000 single
#                    steps in those that are stepped (-s); V3, or FORMAT 2
#   matrix [BLOB_SIZE...]
#                    programs of every linker, as a table; two minutes
#   prove [-n CHANGES] [FILE...]
#                    does sframe-prove find 1,000 (-n) random changes in each of
#                    ten files, in V3, V2 and with --compact in turn?
#   random-cfi [PROGRAMS [SEED]]
#                    1,000 programs per machine
#   random-layouts [-d DIR] [N [FIRST_SEED]]
#                    programs linked in 2,000 ways, two seconds each; those that
#                    fail are kept in DIR
#   shadow [-s STEPS] [-o REPORT]
#                    500,000 steps of each program without CFI
# Prints what the test prints in make check: TAP, or a table.
# For example: sh tools/maintainer/long.sh prove -n 10 /bin/ls
# Exit status: 0 nothing is wrong, 1 something is, 2 wrong usage.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
srcdir=$top

build=
while getopts b: option; do
  case $option in
    b) build=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ -z "$build" ] || find_build "$build"
cd "$top" || exit 2
: "${build:=build}"
test=${1-}
[ $# -eq 0 ] || shift
programs='' packages=''
case $test in
  faults) programs=tests/faults/rewrite ;;
  living | shadow) programs=tests/living/living ;;
  matrix)
    programs=tests/matrix/inject_blob
    packages="g++ lld mold llvm elfutils patchelf musl-tools golang-go rustc" ;;
  prove) programs=prove/sframe-prove ;;
  random-cfi)
    programs="tests/random_cfi/generate prove/sframe-prove" ;;
  random-layouts)
    packages="lld mold llvm elfutils patchelf qemu-user
      gcc-aarch64-linux-gnu gcc-s390x-linux-gnu" ;;
  *) usage ;;
esac

# The options of TEST become variables, which TEST reads.
while [ $# -gt 0 ]; do
  value=${2-}
  case $test:$1 in
    living:-f) LIVING_FORMAT=$value; export LIVING_FORMAT ;;
    living:-r) LIVING_SAMPLES=$value; export LIVING_SAMPLES ;;
    living:-s) LIVING_STEPS=$value; export LIVING_STEPS ;;
    shadow:-s) SHADOW_STEPS=$value; export SHADOW_STEPS ;;
    random-layouts:-d)
      RANDOM_LAYOUT_DIR=$(from_caller "$value")
      export RANDOM_LAYOUT_DIR ;;
    prove:-n) changes=$value ;;
    living:-o | shadow:-o)
      value=$(from_caller "$value")
      LIVING_REPORT=$value SHADOW_REPORT=$value
      export LIVING_REPORT SHADOW_REPORT ;;
    *:-*) usage ;;
    *) break ;;
  esac
  [ $# -ge 2 ] || usage
  shift 2
done

if [ "$test" = prove ]; then
  for file; do
    set -- "$@" "$(from_caller "$file")"
    shift
  done
fi

# shellcheck disable=SC2086
[ -z "$packages" ] || need_packages $build_packages $packages \
  || say "some tools are missing"
[ -f "$build/Makefile" ] || build_in "$build" || die "the build failed"
# shellcheck disable=SC2086
quietly make -C "$build" V=0 src/cfi2sframe $programs \
  || die "the test's programs do not build"
builddir=$(cd "$build" && pwd) || exit 2
export srcdir builddir

# Whether changes of rows in FILE... are found.
prove ()
{
  make_work prove
  status=0 seed=0
  for file in "$@"; do
    seed=$((seed + 1))
    case $((seed % 3)) in
      0) layout=--compact ;;
      1) layout=--format=3 ;;
      2) layout=--format=2 ;;
    esac
    "$builddir/src/cfi2sframe" -q $layout -o "$work/${file##*/}" "$file" \
      || { status=1; continue; }
    python3 "$srcdir/tests/prove/changes.py" "$builddir/prove/sframe-prove" \
      "$work/${file##*/}" "${changes-1000}" $seed || status=1
  done
  exit $status
}

case $test in
  faults) exec bash tests/faults/faults.sh --full "$builddir" ;;
  matrix) exec sh tests/matrix/matrix.sh --full "${@:-3000}" ;;
  random-layouts) exec sh tests/matrix/random_layout.sh "${@:-2000}" ;;
  prove)
    [ $# -gt 0 ] || set -- /bin/ls /bin/bash /bin/grep /bin/sed /bin/tar \
      /usr/bin/find /usr/bin/git /usr/bin/make /usr/bin/perl \
      /lib/x86_64-linux-gnu/libc.so.6
    prove "$@" ;;
esac
cd "$builddir" || exit 2
case $test in
  living | shadow) exec sh "$srcdir/tests/living/$test.sh" --long ;;
  random-cfi)
    exec sh "$srcdir/tests/random_cfi/random_cfi.sh" "${1:-1000}" "${2:-1}" ;;
esac
