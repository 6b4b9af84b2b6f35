#!/bin/sh
# Would a test notice?  Changes one thing at a time in C files and runs the tests that
# concern the file.
#   sh tools/maintainer/mutants.sh [OPTION]... FILE...
#     -b BUILD     where it builds (default: a folder in memory, used again the next time)
#     -n N         a sample of N of all mutants of the files
#     -s SEED      another sample (default: 1)
#     -j N         N mutants at a time (default: 1)
#     -t TEST,...  these tests instead of those that concern the file
#     -e SED       instead, one mutant for each file and -e: by this sed -E expression
#     -a LOG       only those that survived when LOG was printed
#     -l           list the mutants, run nothing
#     -v           name each mutant and what killed it
# FILE is named from the top of the source: src/cfi/walk.c.  A mutant is one
# comparison, operator or constant changed, one condition negated or never true, one
# statement or one side of && or || dropped.  It is killed by the first test that fails
# or takes far longer than it should.  It is equivalent if the compiler makes the same
# code of it, or if mutants-equivalent says why nobody can notice it.
# Prints each mutant that survives, and a table; seconds for a mutant, after minutes of
# building.
# For example: sh tools/maintainer/mutants.sh -n 20 src/cfi/walk.c
# Exit status: 0 none survives, 1 some do, 2 wrong usage, 99 nothing could be tried.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
die_status=2

memory=/dev/shm
[ -d $memory ] || memory=${TMPDIR:-/tmp}
build=$memory/cfi2sframe-mutants.$(id -u) list=
while getopts b:n:s:j:t:e:a:lv option; do
  case $option in
    b) build=$(from_caller "$OPTARG") ;;
    [nsjteav]) ;; # for mutants.py
    l) list=1 ;;
    *) usage ;;
  esac
done
[ $# -ge $OPTIND ] || usage

# need_files N ARGUMENT...: the files behind the first N arguments are in the source.
need_files ()
{
  shift $(($1 + 1))
  for file; do
    [ -f "$top/$file" ] || die "$file: no file of the source, by its name from $top"
  done
}
need_files $((OPTIND - 1)) "$@"

# build_mutants DIRECTORY CFLAGS PROGRAM...: the unit tests and these programs.
build_mutants ()
{
  configure_in "$1" --disable-shared CFLAGS="$2" && cd "$1" || return 1
  shift 2
  # shellcheck disable=SC2016
  programs=$(printf 'mutants:\n\t@echo $(UNIT_TESTS)\n' \
    | make -s -f Makefile -f - mutants) || return 1
  # shellcheck disable=SC2086
  quietly nice make V=0 $programs "$@"
}

# The plain build is optimised a little, so that mutants without an effect become
# equal code.  The other one has sanitizers, as in .ci/run, which notice memory that is
# not freed and accesses outside of objects.
build_all ()
{
  (build_mutants "$build/plain" '-O1 -g0' all tests/faults/rewrite \
    tests/analysis/hidden_cfi \
    tests/matrix/inject_blob tests/random_cfi/generate) || return 1
  (build_mutants "$build/sanitized" \
    '-O1 -g0 -fsanitize=address,undefined -fno-sanitize-recover=all')
}

[ -n "$list" ] || (cd "$top" && build_all) || exit 99
# The last -b is in force.
exec nice python3 "$top/tools/maintainer/mutants.py" "$@" --srcdir "$top" \
  -b "$build/plain" --sanitized "$build/sanitized"
