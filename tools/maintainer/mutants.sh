#!/bin/sh
# Would a test notice?  Changes one thing at a time in C files of src/ and runs
# the tests that concern them.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: mutants.sh [-n N] [-s SEED] [-j N] [-t TEST,...] [-e SED] [-a LOG] [-lv]
#        FILE...
#
#   -n N         a sample of N of all mutants of the files
#   -s SEED      another sample (1)
#   -j N         so many at the same time (1)
#   -t TEST,...  these tests instead of those that concern the file
#   -e SED       one mutant, made by this sed -E expression, per file and -e
#   -a LOG       again those that survived when LOG was printed
#   -l           list the mutants, run nothing
#   -v           name each mutant and what killed it
#
# A mutant is one comparison, operator or constant changed, one condition
# negated or never true, one statement or one side of && or || dropped.  It is
# killed by the first test that fails or takes far longer than it should, and
# equivalent when the compiler makes the same code of it, or when
# tools/maintainer/mutants-equivalent says why nobody can notice.  The exit status is 1
# when a mutant survives.
#
# What is built goes to $MUTANTS_BUILD, by default a folder in memory that is
# used again the next time.

set -u
cd "$(dirname "$0")/../.." || exit 99
. tools/common.sh

[ $# -gt 0 ] || { sed -n '6,16s/^# \{0,1\}//p' "$0" >&2; exit 99; }

source_dir=$(pwd)
: "${MUTANTS_BUILD:=/dev/shm/cfi2sframe-mutants.$(id -u)}"
if [ ! -d /dev/shm ] && [ "${MUTANTS_BUILD#/dev/shm/}" != "$MUTANTS_BUILD" ]
then
  MUTANTS_BUILD=${TMPDIR:-/tmp}/cfi2sframe-mutants.$(id -u)
fi

# build_mutants DIRECTORY CFLAGS PROGRAM...
build_mutants ()
{
  mkdir -p "$1" && cd "$1" || return 1
  [ -f Makefile ] && [ "$(cat .source 2>/dev/null)" = "$source_dir" ] \
    || quietly "$source_dir/configure" -q --disable-shared CFLAGS="$2" \
    || return 1
  echo "$source_dir" >.source
  shift 2
  # shellcheck disable=SC2016
  programs=$(printf 'mutants:\n\t@echo $(UNIT_TESTS)\n' \
    | make -s -f Makefile -f - mutants) || return 1
  # shellcheck disable=SC2086
  quietly nice make V=0 $programs "$@"
}

# Optimised a little: equal code shows that a mutant is none.  Sanitizers, as
# in .ci/run, notice what is not freed and what is read from outside.
build_all ()
{
  [ -x configure ] || quietly autoreconf -fi || return 1
  (build_mutants "$MUTANTS_BUILD/plain" '-O1 -g0' all tests/faults/rewrite \
    tests/analysis/hidden_cfi \
    tests/matrix/inject_blob tests/random_cfi/generate) || return 1
  (build_mutants "$MUTANTS_BUILD/sanitized" \
    '-O1 -g0 -fsanitize=address,undefined -fno-sanitize-recover=all')
}

case " $* " in
  *" -l "*) ;;
  *) build_all || exit 99 ;;
esac
exec nice python3 tools/maintainer/mutants.py --srcdir "$source_dir" \
  --build "$MUTANTS_BUILD/plain" --sanitized "$MUTANTS_BUILD/sanitized" "$@"
