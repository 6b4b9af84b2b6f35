#!/bin/sh
# Code idioms, assembled, and what the analysis says of them when it does not
# see their CFI.  The first lines of each file in idioms/ (x86-64) and
# idioms/aarch64 tell what it is about and what hidden_cfi has to print, if need
# be with options; and how it is linked, if not as a library.  Nothing may differ
# from the CFI unless these lines say how much does.  idioms/macros.inc is read
# before each file.  idioms/README is an index of the files by groups.
# SPDX-License-Identifier: LGPL-2.1-or-later

: "${srcdir:=.}"
. "$srcdir/tests/tap.sh"
newline='
'
with_zydis=no
! has_zydis || with_zydis=yes
work=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-idioms.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

native=$(${CC:-cc} -dumpmachine)
native=${native%%-*}

# What the first lines, all comments, of the source $1 say: $link, $options, and in
# $expected lines of what has to be printed.  By the shell itself: three programs
# for each of two hundred sources would take as long as the analysis.
read_head ()
{
  link='' options='' expected=''
  while IFS= read -r line; do
    case $line in
      '# link: '*) link=${line#'# link: '} ;;
      '# options: '*) options=${line#'# options: '} ;;
      '# expect: '*) expected=$expected${line#'# expect: '}$newline ;;
      '#'* | //*) ;;
      *) break ;;
    esac
  done <"$1"
  case $expected in
    *cfa-differs*) ;;
    *) expected=$expected"cfa-differs 0 ra-differs 0 fp-differs 0$newline" ;;
  esac
}

# Make a library of $2, a source for machine $1.  Needs the machine's compiler
# or, if that is another machine, its binutils.
assemble ()
{
  cat "$srcdir/tests/analysis/idioms/macros.inc" "$2" >"$work/idiom.s"
  # shellcheck disable=SC2086
  if [ "$1" = "$native" ]; then
    ${CC:-cc} -nostdlib ${link:--shared} -Wl,--no-undefined-version \
      -o "$work/idiom.so" "$work/idiom.s"
  else
    "$1-linux-gnu-as" -o "$work/idiom.o" "$work/idiom.s" \
      && "$1-linux-gnu-ld" ${link:--shared} -o "$work/idiom.so" "$work/idiom.o"
  fi
}

can_assemble ()
{
  [ "$1" = "$native" ] || {
    command -v "$1-linux-gnu-as" && command -v "$1-linux-gnu-ld"
  } >/dev/null
}

# Print what is missing in the output for $2.
missing ()
{
  read_head "$2"
  assemble "$1" "$2" || return
  # shellcheck disable=SC2086
  tests/analysis/hidden_cfi $options "$work/idiom.so" >"$work/out" 2>&1
  output=$(cat "$work/out")
  printf %s "$expected" | while IFS= read -r line; do
    case $output in
      *"$line"*) ;;
      *) echo "# missing: $line" ;;
    esac
  done
}

# test_idioms MACHINE SOURCE...
test_idioms ()
{
  machine=$1
  shift
  for source in "$@"; do
    name=$machine-${source##*/}
    name=${name%.s}
    : >"$work/out"
    if [ "$machine" = x86_64 ] && [ "$with_zydis" = no ]; then
      echo "ok - $name # SKIP built without Zydis"
    elif ! can_assemble "$machine"; then
      echo "ok - $name # SKIP no assembler for $machine (Debian: binutils-$machine-linux-gnu)"
    else
      lacking=$(missing "$machine" "$source" 2>&1)
      if [ -z "$lacking" ] && [ -s "$work/out" ]; then
        echo "ok - $name"
      else
        echo "not ok - $name"
        printf '%s\n' "$lacking"
        sed 's/^/# /' "$work/out"
        status=1
      fi
    fi
  done
}

# Is each of the SOURCE... in one group of the index, and nothing else?
index_is_complete ()
{
  index=$srcdir/tests/analysis/idioms/README
  for source in "$@"; do
    name=${source##*/}
    echo "${name%.s}"
  done | LC_ALL=C sort -u >"$work/sources"
  sed -n 's/^    //p' "$index" | tr -s ' ' '\n' | LC_ALL=C sort >"$work/names"
  {
    diff "$work/sources" "$work/names"
    # The title and the explanation are the first two paragraphs.
    awk -v RS= 'NR > 2 && !/\n    [a-z]/ { print "a group without names: " $0 }' \
      "$index"
  } >"$work/log"
  [ ! -s "$work/log" ]
}

status=0
set -- "$srcdir"/tests/analysis/idioms/*.s "$srcdir"/tests/analysis/idioms/aarch64/*.s
echo "1..$(($# + 1))"
log=$work/log
check "each idiom is in one group of the index" index_is_complete "$@"
test_idioms x86_64 "$srcdir"/tests/analysis/idioms/*.s
test_idioms aarch64 "$srcdir"/tests/analysis/idioms/aarch64/*.s
exit $status
