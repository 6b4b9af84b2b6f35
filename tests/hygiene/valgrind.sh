#!/usr/bin/env bash
# Converting, checking, printing and undoing under valgrind's memcheck: no
# error, no leak, no descriptor left open.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: valgrind.sh [FILE...]: run in the build directory; four small files
# of this system unless given.

set -u
: "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
n=0

if ! command -v valgrind >/dev/null; then
  echo "1..0 # SKIP valgrind not found (Debian: apt-get install valgrind)"
  exit 0
fi
# A program with a sanitizer inside does not run under valgrind.
if ! valgrind -q "$CFI2SFRAME" --version >/dev/null 2>&1; then
  echo "1..0 # SKIP this build does not run under valgrind"
  exit 0
fi

# valgrind 3.24 (not 3.19) calls descriptors errors that make or a harness left
# open for us.  Only bash closes numbers above 9.
close_inherited ()
{
  local fd
  for fd in /proc/self/fd/*; do
    fd=${fd##*/}
    case $fd in
      0 | 1 | 2 | 255) ;;
      *) eval "exec $fd>&-" ;;
    esac
  done
}

# under NAME STATUS ARGUMENT...: STATUS is the program's, 99 is valgrind's.
under ()
{
  label=$1 wanted=$2
  shift 2
  n=$((n + 1))
  (
    close_inherited
    exec valgrind -q --error-exitcode=99 --leak-check=full --track-fds=yes \
      --errors-for-leak-kinds=definite,indirect,possible \
      "$CFI2SFRAME" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  )
  status=$?
  # Older ones report descriptors left open, but do not call them errors.
  if [ $status -eq "$wanted" ] && ! grep -q 'Open file descriptor [0-9]*: /[^d]' \
    "$scratch/err"; then
    echo "ok $n - $label"
  else
    echo "not ok $n - $label (status $status)"
    sed 's/^/# /' "$scratch/err" | head -n 30
  fi
}

if [ $# -eq 0 ]; then
  set -- /bin/true /bin/cat "$(command -v env)" \
    "$(ldd /bin/true | sed -n 's/.*=> \(\/[^ ]*libc[^ ]*\) .*/\1/p')"
fi
mkdir "$scratch/files"
for file in "$@"; do
  [ ! -f "$file" ] || cp -L "$file" "$scratch/files"
done
set -- "$scratch"/files/*

# valgrind takes a second to begin: all files are given at once.
under "a file of its own" 0 -o "$scratch/converted" "$1"
under "another one, undone" 0 --undo -o "$scratch/undone" "$scratch/converted"
for format in 1 2 3; do
  under "format $format" 0 -q -j1 --replace --format=$format "$@"
done
under "checked" 0 -q --check "$@"
under "printed" 0 --dump "$@"
under "undone" 0 --undo "$@"
# Hostile files fail, without valgrind having anything to say.
under "hostile files" 1 -q -n -j1 \
  $(printf '%s\n' tests/fuzz/corpus/convert/* | head -n 5)
echo "1..$n"
