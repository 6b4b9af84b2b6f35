#!/bin/bash
# A file that another program cuts off while it is worked on, or that cannot be
# read any more, costs itself alone: one line says so, it stays as the other program
# has left it, no temporary file stays, and the other files are converted.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: shrink.sh [BUILDDIR]
#
# memory.c does that to the file at allocations of the program.  Prints TAP.

. "$(dirname "$0")/common.sh"
compile_memory_faults

# is_right SIZE: whether the run of which $rc is the status came to what it may
# come to, after w/f had been cut off to SIZE bytes: it was too late to notice, or
# the file is as it was left.  What is said of a file that was cut off before it
# was opened depends on what is left; an empty one is passed over.
is_right ()
{
  local lines
  mapfile -t lines <errors
  [[ ${lines[0]} != *meanwhile* ]] || told=$((told + 1))
  case $rc in
    0) [ -z "${lines[0]}" ] \
         && if cmp -s w/f wanted; then late=$((late + 1)); else [ ! -s w/f ]; fi ;;
    1) [ ${#lines[@]} -eq 1 ] && cmp -s w/f "cut-$1" ;;
    *) false ;;
  esac && ! has_temporary_files
}

# count_allocations ARGUMENT...: work on a copy of old.  Sets $all, and leaves the
# result as wanted.
count_allocations ()
{
  rm -rf w && mkdir w && cp old w/f
  FAULT_COUNT=$PWD/all LD_PRELOAD=$PWD/memory.so "$program" "$@" w/f >output 2>errors \
    || return
  all=$(cat all 2>/dev/null) || skip_all "LD_PRELOAD has no effect here"
  rm all
  mv w/f wanted
}

# cut_off TITLE ORIGINAL STEP ARGUMENT...: at every STEP-th allocation, to several
# sizes.
cut_off ()
{
  local title=$1 step=$3 bad="" told=0 late=0 all number size old_size sizes rc
  cp "$2" old
  old_size=$(stat -c %s old)
  sizes="0 100 $((old_size / 2)) $((old_size - 1))"
  shift 3
  count_allocations "$@" || { report "$title" "$(cat errors)"; return; }
  for size in $sizes; do
    head -c "$size" old >"cut-$size"
  done
  for ((number = 1; number <= all; number += step)); do
    for size in $sizes; do
      cp old w/f
      FAULT_AT=$number FAULT_CUT=$size FAULT_FILE=w/f LD_PRELOAD=$PWD/memory.so \
        "$program" "$@" w/f >output 2>errors
      rc=$?
      is_right $size \
        || bad+="allocation $number, $size bytes: exit status $rc, $(stat -c %s w/f) bytes, $(ls -A w): $(cat errors)"$'\n'
      remove_temporary_files
    done
  done 2>/dev/null # the shell's own "Bus error"
  [ $told -gt $((2 * all / step)) ] || bad+="only $told were noticed"
  report "$title: $told told, $late too late" "$bad"
}

# unreadable TITLE ORIGINAL STEP ARGUMENT...: at every STEP-th allocation, a page
# that cannot be read any more.  The file stays, or that page was not needed.
# Objects are written by libelf, which knows less about it.
unreadable ()
{
  local title=$1 step=$3 bad="" told=0 late=0 all number page pages rc lines
  cp "$2" old
  pages=$((($(stat -c %s old) + $(getconf PAGESIZE) - 1) / $(getconf PAGESIZE)))
  shift 3
  count_allocations "$@" || { report "$title" "$(cat errors)"; return; }
  for ((number = 1; number <= all; number += step)); do
    for page in 0 1 $((pages / 2)) $((pages - 1)); do
      cp old w/f
      FAULT_AT=$number FAULT_PAGE=$page FAULT_FILE=w/f LD_PRELOAD=$PWD/memory.so \
        "$program" "$@" w/f >output 2>errors
      rc=$?
      mapfile -t lines <errors
      case $rc in
        0) [ ${#lines[@]} -eq 0 ] && cmp -s w/f wanted && late=$((late + 1)) ;;
        1) told=$((told + 1))
           [ ${#lines[@]} -eq 1 ] && cmp -s w/f old \
             && [[ ${lines[0]} == *": the file "*", or cannot be read" \
                   || $*${lines[0]} == *relocatable*" cannot write data to file" ]] ;;
        *) false ;;
      esac && ! has_temporary_files \
        || bad+="allocation $number, page $page: exit status $rc, $(ls -A w): $(cat errors)"$'\n'
      remove_temporary_files
    done
  done 2>/dev/null # the shell's own "Bus error"
  [ $told -gt $((all / step)) ] || bad+="only $told were noticed"
  report "$title: $told told, $late not needed any more" "$bad"
}

"$compiler" -O2 -g -o small small.c || exit 99
"$compiler" -O2 -g -c small.c || exit 99
ar rc small.a small.o || exit 99
cp small converted && "$program" -q converted || exit 99
cut_off "a program" small 5 -q
cut_off "--undo" converted 3 --undo -q
cut_off "an object" small.o 7 -q --relocatable
cut_off "an archive" small.a 9 -q --relocatable

unreadable "a page of a program" small 11 -q
unreadable "a page, --undo" converted 5 --undo -q
unreadable "a page of an object" small.o 7 -q --relocatable

# The other files of a run.
rm -rf w && mkdir w && cp small w/f && cp small w/other
FAULT_AT=40 FAULT_CUT=0 FAULT_FILE=w/f LD_PRELOAD=$PWD/memory.so \
  "$program" -q -r -j 1 w >output 2>errors
rc=$?
bad=
[ $rc -eq 1 ] && [ "$(wc -l <errors)" -eq 1 ] && grep -q '^cfi2sframe: w/f: .* meanwhile' errors \
  && [ ! -s w/f ] && cmp -s w/other converted && [ "$(ls -A w)" = $'f\nother' ] \
  || bad="exit status $rc, $(ls -lA w): $(cat errors)"
report "a tree: the other file is converted" "$bad"

# Nothing is said of bytes that are not there any more.
cp converted w/f
FAULT_AT=20 FAULT_CUT=5000 FAULT_FILE=w/f LD_PRELOAD=$PWD/memory.so \
  "$program" --check w/f >output 2>errors
rc=$?
bad=
[ $rc -eq 1 ] && [ ! -s output ] && grep -q ' meanwhile' errors || bad="exit status $rc: $(cat output errors)"
report "--check" "$bad"

end_report
