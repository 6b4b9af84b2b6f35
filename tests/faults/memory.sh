#!/bin/bash
# Memory that runs out, at each single allocation, is an error of the file: the
# file is as it was, or converted as if nothing had been, and never has a
# smaller section.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: memory.sh [BUILDDIR]
#
# memory.c makes allocations fail: one of them, and all from one on.  Prints
# TAP.

. "$(dirname "$0")/common.sh"
compile_memory_faults

# run ARGUMENT...: work on w/f, which is old.  Sets $rc.
run ()
{
  LD_PRELOAD=$PWD/memory.so "$program" "$@" w/f >output 2>errors
  rc=$?
} 2>/dev/null # the shell's own "Segmentation fault"

# no_times FILE: take the times out of a report.
no_times ()
{
  sed -i 's/"seconds":[0-9.e-]*//; s/ time="[0-9.]*"//g' "$1"
}

# is_right: whether the last run came to what it may come to.
is_right ()
{
  local lines
  mapfile -t lines <errors
  case $rc,${lines[0]} in
    0,*)
      no_times output
      [ $now = new ] && cmp -s output wanted ;;
    1,*"standard output: Cannot allocate memory")
      [ $now = new ] ;;
    1,"cfi2sframe: out of memory for the report")
      [ $now = new ] || [ $now = old ] ;;
    1,*emory*)
      [ $now = old ] && { [ ${#lines[@]} -eq 1 ] || [[ ${lines[1]} == *"standard output"* ]] \
                            || [ "${lines[1]}" = "cfi2sframe: out of memory for the report" ]; } ;;
    70,*)
      libdwarf=$((libdwarf + 1))
      remove_temporary_files
      [ $now = old ] ;;
    *)
      false ;;
  esac && ! has_temporary_files
}

# judge WHAT: note in $bad what is wrong with the last run, if anything, and put
# w/f back.
judge ()
{
  local now=other
  if cmp -s old w/f; then
    now=old
  elif cmp -s new w/f; then
    now=new
  fi
  is_right || bad+="$1: exit status $rc, $now, $(ls -A w): $(cat errors)"$'\n'
  [ $now = old ] || cp old w/f
  remove_temporary_files
}

# sweep TITLE FILE STEP ARGUMENT...: every STEP-th allocation fails for good.
sweep ()
{
  local title=$1 step=$3 bad="" all number once=0 libdwarf=0
  cp "$2" old
  shift 3
  rm -f all
  cp old w/f
  FAULT_COUNT=$PWD/all run "$@"
  [ "$rc" -eq 0 ] || { report "$title" "$(cat errors)"; return; }
  all=$(cat all 2>/dev/null) || skip_all "LD_PRELOAD has no effect here"
  mv w/f new
  cp old w/f
  no_times output
  cp output wanted
  cmp -s old new && { report "$title" "it changed nothing"; return; }
  for ((number = 1; number <= all; number++)); do
    FAULT_AT=$number run "$@"
    judge "allocation $number"
    [ "$rc" -eq 0 ] || once=$((once + 1))
    [ $((number % step)) -eq 0 ] || continue
    FAULT_AT=$number FAULT_LASTING=1 run "$@"
    judge "allocations from $number on"
    [ "$rc" -ne 0 ] || [ "$number" -gt $((all - 9)) ] \
      || bad+="allocations from $number on: no effect"$'\n'
  done
  [ $once -gt $((all / 4)) ] || bad+="only $once of $all had any effect"
  report "$title: $all allocations ($libdwarf in libdwarf that it does not look at)" "$bad"
}

"$compiler" -O2 -o small small.c || exit 99
"$compiler" -O2 -c small.c || exit 99
sweep "a program" small 3 -q
sweep "version 2, and what is said of it" small 7 --format=2 --stats=json
sweep "a report for other programs" small 20 --stats=junit
cp small converted
"$program" -q converted || exit 99
sweep "a section that is replaced" converted 20 -q --replace --format=2
sweep "a conversion that is undone" converted 3 -q --undo
sweep "a section that is taken away" converted 3 -q --remove
strip -o stripped small
if "$program" -q -n --analyze stripped 2>log; then
  sweep "rows made from code" stripped 7 -q --analyze
else
  skip "rows made from code: $(tail -n 1 log)"
fi
sweep "an object" small.o 7 -q --relocatable
if "$compiler" -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables \
     -Wl,--build-id -gz=zlib -o debugged small.c 2>log \
   && objcopy --only-keep-debug debugged debug && strip -o stripped debugged; then
  sweep "a program with a debug file that is compressed" stripped 7 \
    -q --debug-file=debug
else
  skip "a program with a debug file cannot be made here"
fi

# A line of JSON that lacks a value is not printed.
cat >wrong.s <<'END'
	.globl main
	.type main, @function
main:
	.cfi_startproc
	sub $24, %rsp
	nop
	add $24, %rsp
	xor %eax, %eax
	ret
	.cfi_endproc
	.size main, .-main
	.section .note.GNU-stack,"",@progbits
END
title="wrong rows"
if [ "$(uname -m)" = x86_64 ] && "$compiler" -o w/f wrong.s \
   && { run --lint --stats=json; [ $rc -eq 3 ]; }; then
  bad=""
  no_times output
  cp output wanted
  rm -f all
  FAULT_COUNT=$PWD/all run --lint --stats=json
  all=$(cat all)
  for ((number = 1; number <= all; number++)); do
    FAULT_AT=$number run --lint --stats=json
    no_times output
    [ $rc -ne 3 ] || cmp -s output wanted || bad+="allocation $number: $(cat output)"$'\n'
  done
  report "$title: $all allocations" "$bad"
else
  skip "$title: not analysed here"
fi

# Without memory for a name, a list of files does not end there.  What is said
# of several files is kept until its turn comes; without memory for that it is
# printed at once.  The files have no CFI that libdwarf would read: a
# thread of the program has no handler that could tell its crashes from others.
several ()
{
  LD_PRELOAD=$PWD/memory.so "$program" -n -j 1 --stats="$1" --files0-from=list >output 2>errors
  rc=$?
} 2>/dev/null

# What `several' has printed, without what may differ from run to run.
in_order ()
{
  no_times output
  sort -o output output
}

echo script >w/f
cp small.o w/g
printf 'w/f\0w/g\0' >list
for stats in json junit; do
  bad="" failed=0
  rm -f all
  FAULT_COUNT=$PWD/all several $stats
  in_order
  cp output wanted
  grep -c 'w/[fg]' wanted | grep -q 2 || bad="not both are told of"$'\n'
  all=$(cat all)
  for ((number = 1; number <= all; number++)); do
    FAULT_AT=$number several $stats
    [ $rc -eq 0 ] || failed=$((failed + 1))
    case $rc in
      0) in_order
         cmp -s output wanted ;;
      1) mapfile -t said <errors
         mapfile -t -O ${#said[@]} said <output
         [[ ${said[*]} == *emory* ]] ;;
      *) false ;;
    esac || bad+="allocation $number: exit status $rc: $(cat errors)"$'\n'
  done
  [ $failed -gt 4 ] || bad+="only $failed of $all had any effect"
  report "several files, $stats: $all allocations" "$bad"
done

end_report
