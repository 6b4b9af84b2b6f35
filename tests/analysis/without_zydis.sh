#!/bin/sh
# Does the library that decodes x86-64 instructions change what is made of CFI?
# A build without it lies about no return address, either: the program is built
# once more, without what looks at machine code, and both convert the same files.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
srcdir=$(cd "$srcdir" && pwd) || exit 1
. "$srcdir/tests/tap.sh"
has_zydis || skip_all "built without Zydis"
[ ! -e "$srcdir/config.status" ] \
  || skip_all "the source folder is configured: no second build can be made"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
log=$tree/log
other=$tree/build/src/cfi2sframe
programs="bash git gdb perl python3 tar $CFI2SFRAME"

# Copy what this build has compiled to the other one, without the files that ask
# for the library: to compile those alone takes a tenth of the time.
take_over_objects ()
{
  asking='HAVE_ZYDIS|CODE_ANALYSIS'
  ! product_files "$srcdir" '*.h' | xargs grep -lwE "$asking" || return 1
  find . -path ./tests -prune -o \( -name '*.o' -o -name '*.lo' \
    -o -name .dirstamp \) -print >"$tree/objects"
  tar cf - -T "$tree/objects" | tar xf - -C "$tree/build" || return 1
  product_files "$srcdir" '*.c' | xargs grep -lwE "$asking" >"$tree/asking"
  [ -s "$tree/asking" ] || return 1
  while read -r file; do
    file=${file#"$srcdir/"}
    rm "$tree/build/${file%.c}.lo" || return 1
  done <"$tree/asking"
}

# As this build is configured, for the most part: what configure found then it does
# not look for again, which takes a third of its time.
build_without ()
(
  sed -n '/^ac_cv_env_/d; /^[a-z0-9]*_cv_/p' config.log >"$tree/cache"
  unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
  eval "set -- $(./config.status --config)"
  mkdir "$tree/build" && (cd "$tree/build" && "$srcdir/configure" "$@" \
      --srcdir="$srcdir" --cache-file="$tree/cache" --disable-werror \
      --disable-stacks --disable-analysis) \
    && take_over_objects && cd "$tree/build" \
    && ! grep '^#define HAVE_ZYDIS' config.h \
    && make -j2 src/cfi2sframe
)

# What both convert: the files that come with the tests, and programs of this
# machine with the libraries that they need.
collect ()
{
  mkdir "$tree/files" && cp -R "$srcdir/tests/data" "$tree/files" || return 1
  chmod -R u+w "$tree/files"
  for program in $programs; do
    file=$(command -v "$program") || continue
    { readlink -f "$file"; libraries_of "$file"; } >>"$tree/list"
  done
  sort -u "$tree/list" | while read -r file; do
    cp -L "$file" "$tree/files/$(echo "$file" | tr / _)" || return 1
  done
}

# convert PROGRAM FOLDER [OPTION]...: convert all files to FOLDER, in which not
# all can be.  What is said of them, without the time it took, gets into $log.
convert ()
{
  program=$1 folder=$2
  shift 2
  rm -rf "${tree:?}/$folder"
  cp -R "$tree/files" "$tree/$folder" || return 1
  (cd "$tree/$folder" && "$program" -r --replace --relocatable "$@" .) \
    >"$tree/said" 2>&1
  sed 's/ ([0-9.]* s)$//' "$tree/said" >"$log"
  converted=$(sed -n 's/^\([0-9]*\) files converted.*/\1/p' "$log")
  [ "${converted:-0}" -ge 100 ]
}

same_bytes ()
{
  convert "$CFI2SFRAME" with "$@" && mv "$log" "$tree/expected" \
    && convert "$other" without "$@" \
    && diff "$tree/expected" "$log" >"$tree/said" \
    && diff -r "$tree/with" "$tree/without" >"$tree/said" && return
  mv "$tree/said" "$log"
  return 1
}

# Code is looked at in a build with Zydis only, which this test must have built.
refuses_to_analyze ()
{
  cp "$CFI2SFRAME" "$tree/program" || return 1
  ! "$other" --analyze "$tree/program" 2>"$log" \
    && grep -q 'this build cannot analyse code of this machine$' "$log" \
    && cmp "$CFI2SFRAME" "$tree/program"
}

echo "1..5"
if ! build_without >"$log" 2>&1; then
  tail -n 30 "$log" | sed 's/^/# /'
  echo "Bail out! the build without Zydis failed"
  exit 1
fi
check "there are files to convert" collect
check "the same bytes" same_bytes
check "the same bytes in format 2" same_bytes --format=2
check "the same bytes with --compact" same_bytes --compact
check "--analyze says that it cannot, and changes nothing" refuses_to_analyze
