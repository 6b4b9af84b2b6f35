#!/usr/bin/env bats
# sframe-profile --input: recordings of perf.  They are made here, of a program
# that prints its own registers, stack and mappings.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load stacks
load ../contrib/programs

setup ()
{
  setup_stacks
  needs_stack_programs
  [ "$(uname -m)" = x86_64 ] || skip "the recorded program is for x86-64"
  needs python3
}

# The program, compiled once in a file of tests.  Three samples: of a function below two others, in a signal
# handler, and of an epilogue that has popped FP: where `popped' returns to the
# first one's place.
dumped ()
{
  once dump_program
  ./dump >dumped
}

dump_program ()
{
  cat >dump.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
static uint8_t stack[16384];
static volatile int sink;
void popped (void);
extern char after_pop[];
__asm__ (".type popped,@function\npopped: .cfi_startproc\n"
         " push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n"
         " pop %rbp\n .cfi_def_cfa_offset 8\n"
         "after_pop: ret\n .cfi_endproc\n.size popped, .-popped\n");
static void
sample (uint64_t pc, uint64_t sp, const greg_t *g, const uint64_t *first,
        size_t size)
{
  printf ("sample %llx %llx %llx %llx %llx %llx %llx %lx %lx 0 0 0 %llx %llx "
          "%llx %llx %llx %llx %llx %llx / ",
          g[REG_RAX], g[REG_RBX], g[REG_RCX], g[REG_RDX], g[REG_RSI],
          g[REG_RDI], g[REG_RBP], sp, pc, g[REG_R8], g[REG_R9], g[REG_R10],
          g[REG_R11], g[REG_R12], g[REG_R13], g[REG_R14], g[REG_R15]);
  if (first != NULL)
    for (size_t i = 0; i < 8; i++)
      printf ("%02x", ((const uint8_t *)first)[i]);
  for (size_t i = 0; i < size; i++)
    printf ("%02x", stack[i]);
  putchar ('\n');
}
__attribute__ ((noinline)) void
inner (int epilogue)
{
  ucontext_t here;
  getcontext (&here);
  const greg_t *g = here.uc_mcontext.gregs;
  uint64_t sp = g[REG_RSP], pc = g[REG_RIP];
  size_t size = (uint64_t)environ - sp;
  if (size > sizeof stack)
    size = sizeof stack;
  memcpy (stack, (void *)sp, size);
  sample (pc, sp, g, NULL, size);
  if (epilogue)
    sample ((uint64_t)after_pop, sp - 8, g, &pc, size);
  sink++;
}
static inline __attribute__ ((always_inline)) void
within (int n) { inner (n); sink++; }
static inline __attribute__ ((always_inline)) void
between (int n) { within (n); sink++; }
__attribute__ ((noinline)) void middle (int n) { between (n); sink++; }
__attribute__ ((noinline)) void outer (int n) { middle (n); sink++; }
static void handler (int n) { middle (0); sink += n; }
int
main (void)
{
  char line[4096];
  FILE *maps = fopen ("/proc/self/maps", "r");
  printf ("pid %d\n", (int)getpid ());
  while (fgets (line, sizeof line, maps) != NULL)
    printf ("map %s", line);
  outer (1);
  signal (SIGUSR1, handler);
  raise (SIGUSR1);
  popped ();
  return 0;
}
END
  "${CC:-cc}" -g -O1 -fno-optimize-sibling-calls -fomit-frame-pointer \
    -Wl,--build-id=sha1 -o dump dump.c
}

recorded ()
{
  [ -e dumped ] || dumped
  program "$BATS_TEST_DIRNAME/perf_data.py" write dumped perf.data "$@"
}

read_back ()
{
  program "$BATS_TEST_DIRNAME/perf_data.py" read "$1"
}

profiled ()
{
  capture "$profile" "$@"
}

# The three stacks, whatever comes in front of main.
check_stacks ()
{
  local start='^recorded;_start;[^ ]*;main;'
  [ "$(grep -c "${start}outer;middle;inner 1$" "$1")" -eq 1 ] || return 1
  [ "$(grep -c "${start}outer;middle;inner;popped 1$" "$1")" -eq 1 ] || return 1
  [ "$(grep -c "$start.*;handler;middle;inner 1$" "$1")" -eq 1 ] || return 1
  [ "$(grep -c . "$1")" -eq 3 ]
}

@test "a recording: its stacks, through a signal and where FP has been popped" {
  recorded
  gives 0 profiled --input=perf.data -o folded -o graph.svg
  cat folded
  check_stacks folded
  grep -q 'middle' graph.svg
  [[ $stderr == "3 samples in 0.0 s, 3 (100.0 %) reached the outermost frame" ]] \
    || report
}

@test "no times, several events, another program before, a child: the same stacks" {
  local option
  for option in no-time two-events exec child shuffled maps-last; do
    recorded $option
    gives 0 profiled --input=perf.data -o folded
    cat folded
    check_stacks folded
  done
}

@test "a process that was there before the recording has no mappings of its parent" {
  recorded old-child
  gives 0 profiled --input=perf.data -o folded
  cat folded
  grep -qx 'old;\[no-section\];\[unknown\] 3' folded
  [[ $stderr == *"3 samples of processes whose files the recording does not name"* ]] \
    || report
}

@test "compressed records: the same stacks" {
  needs zstd
  local kind
  recorded kernel
  gives 0 profiled --input=perf.data --perf-data=chains
  read_back chains >wanted
  for kind in 81 83; do
    recorded kernel compressed=$kind
    profiled --input=perf.data --perf-data=chains -o folded
    [[ $stderr != *"built without zstd"* ]] || skip "built without zstd"
    [ "$status" -eq 0 ] || report
    sed -i 's/;\[kernel\]_\[k\]//' folded
    check_stacks folded
    read_back chains | diff wanted -
  done
  recorded compressed=81 cut-stream
  gives 1 profiled --input=perf.data -o folded
  [[ $stderr == *": its compressed records are cut off" ]] || report
  recorded compressed=81
  python3 -c '
import sys
data = bytearray (open ("perf.data", "rb").read ())
at = data.index (b"\x28\xb5\x2f\xfd")
data[at] = 7
open ("perf.data", "wb").write (data)'
  gives 1 profiled --input=perf.data -o folded
  [[ $stderr == *": its records cannot be decompressed" ]] || report
}

@test "the kernel's part of a stack is marked, and named if it is this kernel's" {
  # Which kernel it was the recording does not say.
  recorded kernel
  gives 0 profiled --input=perf.data -o folded
  cat folded
  [ "$(grep -c ';\[kernel\]_\[k\] 1$' folded)" -eq 3 ]
  sed -i 's/;\[kernel\]_\[k\]//' folded
  check_stacks folded
  # A function, what is behind it, and which name of the first address counts.
  local names
  local -a known
  names=$(python3 - <<'END'
names = {}
with open("/proc/kallsyms", encoding="ascii") as file:
    for line in file:
        address, kind, name = line.split()[:3]
        if kind in "tTwW" and int(address, 16) != 0:
            names.setdefault(int(address, 16), []).append(name)
places = sorted(names)
if len(places) > 1000:
    print(*(hex(place) for place in places[999:1001]), min(names[places[999]]))
END
)
  read -ra known <<<"$names"
  [ "${#known[@]}" -eq 3 ] || skip "no names of the kernel"
  # The outer address is where a call at the end of the same function returns to.
  recorded "kernel=${known[0]},${known[1]}" "kernel-map=${known[2]},${known[0]}"
  gives 0 profiled --input=perf.data -o folded -o graph.svg
  cat folded
  [ "$(grep -cF ";${known[2]}_[k];${known[2]}_[k] 1" folded)" -eq 3 ] || report
  sed -i 's/;[^; ]*_\[k\]//g' folded
  check_stacks folded
  # The same symbol was elsewhere: another kernel, or one that was started again.
  recorded "kernel=${known[0]},${known[1]}" "kernel-map=${known[2]},${known[1]}"
  gives 0 profiled --input=perf.data -o folded
  [ "$(grep -c ';inner;\[kernel\]_\[k\] 1$' folded)" -eq 2 ] || report
}

@test "a recording with call chains instead of stacks, for perf" {
  recorded kernel two-events
  gives 0 profiled -q --input=perf.data --perf-data=out.data
  silent
  read_back out.data >read
  cat read
  # Neither registers nor stacks, and the program's part of the chain.
  grep -qx 'event 0x10027 0 1' read
  grep -qx 'event 0x10007 0 2' read
  grep -qx 'description 0x10027' read
  grep -qx "feature 6 $(uname -m)" read
  [ "$(grep -c ^sample read)" -eq 3 ]
  grep -q '^record 3 8192 ' read
  # The kernel's, the mark, where it was, and the calls.
  local base symbol at
  base=$((16#$(sed -n 's/^map \([0-9a-f]*\)-.* 00000000 .*\/dump$/\1/p' dumped)))
  local kernel='sample 0xffffffffffffff80 0xffffffff81000123 0xfffffffffffffe00'
  [ "$(grep -c "^$kernel" read)" -eq 3 ]
  symbol=$(nm dump | sed -n 's/^\([0-9a-f]*\) .* after_pop$/\1/p')
  at=$(printf '0x%x' $((base + 16#$symbol)))
  grep "^$kernel $at " read
  # A caller is where its call is: at the last byte of the instruction.
  local -a words
  read -ra words < <(grep "^$kernel $at " read)
  at=$(objdump -d dump | sed -n '/call.*<inner>/{n;s/^ *\([0-9a-f]*\):.*/\1/p}')
  [ $((words[6] - base + 1)) -eq $((16#$at)) ]
  [ "$(stat -c %s out.data)" -lt $(($(stat -c %s perf.data) / 4)) ]
}

@test "the program's part of a chain, or its mark, is not the kernel's" {
  local mark
  for mark in fffffffffffffe00 fffffffffffffd80; do
    recorded "kernel=ffffffff81000123,$mark,1234"
    gives 0 profiled -q --input=perf.data -o folded --perf-data=out.data
    cat folded
    [ "$(grep -c ';\[kernel\]_\[k\] 1$' folded)" -eq 3 ]
    sed -i 's/;\[kernel\]_\[k\]//' folded
    check_stacks folded
    read_back out.data >read
    [ "$(grep -c '^sample 0xffffffffffffff80 0xffffffff81000123 0xfffffffffffffe00 ' read)" -eq 3 ]
    [ "$(grep -c ' 0x1234' read)" -eq 0 ]
  done
}

@test "a profile for pprof: the same stacks, with process and thread" {
  recorded child
  gives 0 profiled -q --input=perf.data -o folded -o profile.pb.gz
  python3 "$BATS_TEST_DIRNAME/pprof.py" profile.pb.gz >read
  cat read
  local pid
  pid=$(($(sed -n 's/^pid //p' dumped) + 1))
  [ "$(sed -n 1p read)" = "samples/count cpu/nanoseconds" ]
  sed 's/^recorded;//' folded | sort >expected
  sed -n "s/ 10101010 process=recorded pid=$pid tid=$pid$//p" read | sort \
    | diff expected -
  gunzip -t <profile.pb.gz
  # What is counted twice is one sample of two.
  sed -n '/^sample/{p;q}' dumped >>dumped
  recorded child
  gives 0 profiled -q --input=perf.data -o profile.pb.gz
  python3 "$BATS_TEST_DIRNAME/pprof.py" profile.pb.gz >read
  grep "outer;middle;inner 2 20202020 process=recorded pid=$pid tid=$pid" read
  command -v go >/dev/null || return 0
  go tool pprof -raw profile.pb.gz >raw 2>&1
  grep -q '^ *2   20202020: ' raw
}

@test "a profile for the Firefox profiler: the same stacks, by thread and time" {
  recorded shuffled kernel
  gives 0 profiled -q --input=perf.data -o folded -o profile.json
  python3 - profile.json >read <<'END'
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    profile = json.load(file)
assert profile['meta']['version'] == 24 and profile['meta']['presymbolicated']
assert profile['meta']['interval'] == 10.101

# What the profiler's src/types/gecko-profile.ts demands, and of what kind.
NUMBER, NO_NUMBER = (int, float), (int, float, type(None))

def check(what, **kinds):
    for key, kind in kinds.items():
        assert isinstance(what[key], kind), (key, what[key])

def check_table(table, schema, kinds):
    assert table['schema'] == {key: i for i, key in enumerate(schema)}
    for row in table['data']:
        assert len(row) == len(kinds)
        for value, kind in zip(row, kinds):
            assert isinstance(value, kind), row

check(profile, meta=dict, libs=list, threads=list, pausedRanges=list,
      processes=list)
meta = profile['meta']
check(meta, version=int, startTime=NUMBER, shutdownTime=NO_NUMBER,
      categories=list, markerSchema=list, interval=NUMBER, stackwalk=int,
      debug=int, gcpoison=int, asyncstack=int, processType=int)
for category in meta['categories']:
    check(category, name=str, color=str, subcategories=list)
    assert category['subcategories'][0] == 'Other'
assert 'grey' in [category['color'] for category in meta['categories']]
for thread in profile['threads']:
    check(thread, name=str, registerTime=NUMBER, processType=str,
          unregisterTime=NO_NUMBER, tid=int, pid=int, stringTable=list)
    check_table(thread['markers'], ['name', 'startTime', 'endTime', 'phase',
                                    'category', 'data'], [])
    check_table(thread['samples'], ['stack', 'time', 'responsiveness'],
                [NO_NUMBER, NUMBER, NUMBER])
    check_table(thread['stackTable'], ['prefix', 'frame'], [NO_NUMBER, int])
    check_table(thread['frameTable'],
                ['location', 'relevantForJS', 'innerWindowID',
                 'implementation', 'optimizations', 'line', 'column',
                 'category', 'subcategory'],
                [int, bool, NUMBER, type(None), type(None), NO_NUMBER,
                 NO_NUMBER, int, int])
    # Since version 66 of its own format the profiler counts backwards.
    for i, (prefix, frame) in enumerate(thread['stackTable']['data']):
        assert prefix is None or 0 <= prefix < i
        assert 0 <= frame < len(thread['frameTable']['data'])
    for frame in thread['frameTable']['data']:
        name = thread['stringTable'][frame[0]]
        category = meta['categories'][frame[7]]
        assert category['name'] == ('Kernel' if name.endswith('_[k]')
                                    else 'Other' if name[0] == '['
                                    else 'User'), name
        assert category['subcategories'][frame[8]] == 'Other'
    assert all(isinstance(text, str) for text in thread['stringTable'])
for thread in profile['threads']:
    stacks, frames = thread['stackTable'], thread['frameTable']
    assert stacks['schema'] == {'prefix': 0, 'frame': 1}
    assert thread['samples']['schema'] == {'stack': 0, 'time': 1,
                                           'responsiveness': 2}
    assert all(len(frame) == len(frames['schema']) for frame in frames['data'])
    for stack, time, _ in thread['samples']['data']:
        names = []
        while stack is not None:
            stack, frame = stacks['data'][stack]
            location = frames['data'][frame][frames['schema']['location']]
            names.append(thread['stringTable'][location])
        print(time, ';'.join([thread['name'], *names[::-1]]), 1,
              thread['pid'], thread['tid'])
END
  cat read
  local pid
  pid=$(sed -n 's/^pid //p' dumped)
  sed "s/$/ $pid $pid/" folded | sort >expected
  cut -d' ' -f2- read | sort | diff expected -
  # Ten nanoseconds from one to the next, in the order in which they were taken.
  [ "$(cut -d' ' -f1 read | tr '\n' ' ')" = "0.0 1e-05 2e-05 " ]
  sed -n 3p read | grep -q ';handler;'
}

@test "of several events one is counted if that is wanted" {
  recorded two-stacks
  gives 0 profiled --input=perf.data -o folded
  [[ $stderr == "5 samples in "* ]] || report
  gives 0 profiled --event=1 --input=perf.data -o folded
  check_stacks folded
  gives 0 profiled --event=2 --input=perf.data -o folded
  [ "$(grep -c . folded)" -eq 1 ]
  grep -q ';inner 2$' folded
  gives 1 profiled --event=3 --input=perf.data -o folded
  [[ $stderr == *": its samples are of 2 events that can be told apart" ]] || report
  recorded
  gives 1 profiled --event=2 --input=perf.data -o folded
  [[ $stderr == *": its samples are of 1 events that can be told apart" ]] || report
  gives 2 profiled --event=1 --input=perf.data --perf-data=out
}

@test "threads: by themselves if wanted, and by the names that they were given" {
  local pid
  recorded thread
  pid=$(sed -n 's/^pid //p' dumped)
  gives 0 profiled -q --input=perf.data -o folded -o profile.json
  [ "$(grep -c 'outer;middle;inner 2$' folded)" -eq 1 ] || report
  python3 -c '
import json
for thread in json.load(open("profile.json", encoding="utf-8"))["threads"]:
    print(thread["processName"], thread["name"], thread["pid"], thread["tid"])' >read
  printf '%s\n' "recorded recorded $pid $pid" "recorded worker $pid $((pid + 5))" \
    | diff - read
  gives 0 profiled -q --threads --input=perf.data -o folded -o graph.svg
  cat folded
  [ "$(grep -c "^recorded;recorded/$pid;.*;main;" folded)" -eq 3 ]
  [ "$(grep -c "^recorded;worker/$((pid + 5));.*;main;.*inner 1$" folded)" -eq 1 ]
  grep -q ">worker/$((pid + 5))<" graph.svg
}

@test "a process is there until its last thread has ended" {
  local pid
  recorded leader-ends
  pid=$(sed -n 's/^pid //p' dumped)
  gives 0 profiled --threads --input=perf.data -o folded
  # What comes behind the last end is of another process, which is not known.
  [[ $stderr == *"1 sample of processes whose files the recording does not name"* ]] || report
  [ "$(grep -c "^recorded;.*outer;middle;inner 1$" folded)" -eq 4 ] || { cat folded; return 1; }
}

@test "a thread is called as who made it, until it has a name of its own" {
  local pid
  recorded leader-ends
  pid=$(sed -n 's/^pid //p' dumped)
  gives 0 profiled -q --threads --input=perf.data -o folded
  sed -n 's,.*;\([a-z]*\)/\([0-9]*\);.*outer;middle;inner 1$,\1 \2,p' folded | sort >read
  printf '%s\n' "recorded $pid" "recorded $((pid + 5))" "worker $((pid + 5))" \
    "worker $((pid + 6))" | diff - read
}

@test "a thread is one, however many others were sampled in between" {
  recorded threads
  gives 0 profiled -q --input=perf.data -o profile.json
  python3 -c '
import json
for thread in json.load(open("profile.json", encoding="utf-8"))["threads"]:
    print(len(thread["samples"]["data"]))' >read
  # The first thread has the three samples that every recording has, too.
  printf '%s\n' 7 4 4 4 4 4 4 | diff - read
}

# Milliseconds of each stack in a profile for Firefox.
firefox_milliseconds ()
{
  python3 - "$1" <<'END'
import collections
import json
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    profile = json.load(file)
found = collections.Counter()
for thread in profile['threads']:
    for stack, time, _ in thread['samples']['data']:
        frame = thread['stackTable']['data'][stack][1]
        name = thread['stringTable'][thread['frameTable']['data'][frame][0]]
        found[thread['tid'], name] += profile['meta']['interval']
for key in sorted(found):
    print(*key, found[key])
END
}

@test "time off the processor: from switch to switch of the same thread, if all of it was seen" {
  local pid start='^recorded;_start;[^ ]*;main;'
  recorded waits
  pid=$(sed -n 's/^pid //p' dumped)
  gives 0 profiled --off-cpu --input=perf.data -o folded -o graph.svg -o profile.pb.gz \
    -o profile.json
  cat folded
  [ "$(grep -c "${start}outer;middle;inner 39980000$" folded)" -eq 1 ]
  [ "$(grep -c "${start}outer;middle;inner;popped;\[preempted\] 10495000$" folded)" -eq 1 ]
  [ "$(grep -c "$start.*;handler;middle;inner 24990000$" folded)" -eq 1 ]
  [ "$(grep -c . folded)" -eq 3 ]
  [[ $stderr == *"; 0.075 s off the processor, without 4 waits not seen whole; 3 lost
1 sample without registers of a 64-bit program" ]] \
    || report
  grep -qF '<title>handler (0.024990 s, 33.11 %)</title>' graph.svg
  python3 "$BATS_TEST_DIRNAME/pprof.py" profile.pb.gz >read
  cat read
  [ "$(sed -n 1p read)" = "samples/count off-cpu/nanoseconds" ]
  grep -q ";outer;middle;inner 1 19990000 process=recorded pid=$pid tid=$pid$" read
  grep -q ";outer;middle;inner 1 19990000 process=recorded pid=$pid tid=$((pid + 5))$" read
  grep -q ";popped;\[preempted\] 1 10495000 .* tid=$pid$" read
  grep -q ";handler;middle;inner 1 24990000 .* tid=$((pid + 5))$" read
  # Whole milliseconds of a clock that go by while a thread waits.
  firefox_milliseconds profile.json >read
  printf '%s\n' "$pid [preempted] 10.0" "$pid inner 19.0" "$((pid + 5)) inner 43.0" \
    | diff - read
  # What runs is counted as without waits.
  gives 0 profiled --event=1 --input=perf.data -o folded
  check_stacks folded
}

@test "time off the processor: recordings that do not have it" {
  recorded
  gives 1 profiled --off-cpu --input=perf.data -o folded
  [[ $stderr == *": it has no samples of context switches with times (perf record -e context-switches -c 1 --switch-events)" ]] \
    || report
  recorded waits no-switches
  gives 1 profiled --off-cpu --input=perf.data -o folded
  [[ $stderr == *": it does not say when threads had a processor (perf record --switch-events)" ]] \
    || report
  gives 2 profiled --off-cpu --input=perf.data --perf-data=out
}

@test "functions that were inlined, where there is debug information" {
  recorded
  gives 0 profiled -q --inlines --input=perf.data -o folded -o graph.svg -o profile.pb.gz
  cat folded
  [ "$(grep -c ';middle;between_\[i\];within_\[i\];inner 1$' folded)" -eq 2 ]
  [ "$(grep -c ';middle;between_\[i\];within_\[i\];inner;popped 1$' folded)" -eq 1 ]
  grep -qF '<title>between_[i] (2 samples, 66.67 %)</title>' graph.svg
  python3 "$BATS_TEST_DIRNAME/pprof.py" profile.pb.gz >read
  [ "$(grep -c ';middle;between_\[i\];within_\[i\];inner' read)" -eq 3 ]
  sed -i 's/;[^; ]*_\[i\]//g' folded
  check_stacks folded
  # Debug information in a file of its own is found; without any there is none.
  local id
  id=$(readelf -n dump | sed -n 's/.*Build ID: //p')
  objcopy --only-keep-debug dump dump.debug
  objcopy --strip-debug --add-gnu-debuglink=dump.debug dump
  recorded "build-id=$PWD/dump:$id"
  gives 0 profiled -q --inlines --input=perf.data -o folded
  [ "$(grep -c ';middle;between_\[i\];within_\[i\];inner' folded)" -eq 3 ]
  rm dump.debug
  gives 0 profiled -q --inlines --input=perf.data -o folded
  check_stacks folded
}

@test "a function may have any name, and is one frame" {
  dumped
  objcopy --redefine-sym $'inner=in\nner' dump 2>/dev/null || skip "objcopy renames no such symbol"
  ./dump >dumped
  recorded
  gives 0 profiled -q --input=perf.data -o folded
  [ "$(grep -cF 'outer;middle;in\x0aner 1' folded)" -eq 1 ] || { cat folded; return 1; }
}

@test "files that were replaced: by build-id, by inode, said and not walked" {
  local id other path=$PWD/dump
  dumped
  id=$(readelf -n dump | sed -n 's/.*Build ID: //p')
  # One of 256 builds has an identifier that begins with 00.
  other=$(printf '%02x' $((0x${id:0:2} ^ 1)))${id:2}
  recorded "build-id=$path:$id"
  gives 0 profiled --input=perf.data -o folded
  check_stacks folded
  recorded "build-id=$path:$other"
  gives 0 profiled --input=perf.data -o folded
  cat folded
  [[ $stderr == *"$path: not the file that was recorded: stacks end in its code" ]] \
    || report
  grep -q '^recorded;\[no-section\];' folded
  run ! grep -q middle folded
  recorded other-inode
  gives 0 profiled --input=perf.data -o folded
  [[ $stderr == *"$path: not the file that was recorded"* ]] || report
  run ! grep -q middle folded
}

@test "a recording that does not say what was mapped: it is told why" {
  recorded no-maps
  gives 0 profiled --input=perf.data -o folded
  [[ $stderr == *"3 samples of processes whose files the recording does not name (perf record --overwrite loses those of commands; record with -p)"* ]] \
    || report
}

@test "a recording as a table" {
  recorded
  local option
  # With a recording, nothing was printed.
  for option in --quiet --perf-data=out.data; do
    gives 0 profiled --input=perf.data --top=2 $option
    [ "$output" = "   self    total  function
 66.7 %  100.0 %  inner
 33.3 %   33.3 %  popped" ] || report
  done
}

@test "a recording is compared with the folded stacks of another" {
  recorded
  gives 0 profiled -q --input=perf.data -o folded
  gives 0 profiled -q --input=perf.data --diff=folded --top=1
  [ "${lines[1]}" = " 66.7 %  100.0 %    +0.0  inner" ] || report
  gives 0 profiled -q --input=perf.data --diff=folded --perf-data=out.data
  [[ $output == *" change "*" inner"* ]] || report
  grep -v popped folded >less
  gives 0 profiled -q --input=perf.data --diff=less -o page.html -o graph.svg
  [ "$output" = "" ] || report
  grep -q '<title>popped (1 sample, 33.33 %, +33.33)</title>' graph.svg
  grep -q '<title>dump\|<title>recorded (3 samples, 100.00 %, +0.00)</title>' graph.svg
  grep -q '<td>33.33</td><td>33.33</td><td>+33.33</td><td tabindex="0">popped</td>' page.html
  grep -q '<td>66.67</td><td>100.00</td><td>-33.33</td><td tabindex="0">inner</td>' page.html
  gives 0 profiled -q --input=perf.data --diff=less
  [ "${lines[0]}" = "   self    total   change  function" ] || report
  gives 1 profiled --input=perf.data --diff=nowhere
  [ "$stderr" = "sframe-profile: nowhere: No such file or directory" ] || report
  gives 1 profiled --input=perf.data --diff=graph.svg
  [[ $stderr == "sframe-profile: graph.svg: no folded stacks (-o FILE of sframe-profile)"* ]] \
    || report
  gives 1 profiled --input=perf.data --diff=.
  [ "$stderr" = "sframe-profile: .: Is a directory" ] || report
  gives 2 profiled --input=perf.data --threads --diff=less
}

@test "samples without registers are counted apart" {
  recorded kernel-thread 32-bit
  gives 0 profiled --input=perf.data -o folded --perf-data=out.data
  check_stacks folded
  [[ $stderr == *$'\n2 samples without registers of a 64-bit program' ]] || report
  [ "$(read_back out.data | grep -c ^sample)" -eq 5 ]
}

refuses ()
{
  local reason=$1
  shift
  recorded "$@"
  gives 1 profiled --input=perf.data -o folded --perf-data=out.data
  [ "$stderr" = "sframe-profile: perf.data: $reason" ] || report
  [ ! -e folded ]
  [ ! -e out.data ]
}

@test "what cannot be read is refused, in one line" {
  refuses "it was recorded on another machine (pdp11)" machine
  refuses "it was recorded with the other byte order" foreign
  refuses "it is a folder of files (perf record --threads)" folder
  refuses "perf record did not finish it" unfinished
  refuses "its header says more than there is" cut
  refuses "what follows the records is cut off" tail
  : >perf.data
  gives 1 profiled --input=perf.data
  [ "$stderr" = "sframe-profile: perf.data: it is empty" ] || report
  gives 1 profiled --input="$CFI2SFRAME"
  [[ $stderr == *": no recording of perf" ]] || report
  mkdir folder
  gives 1 profiled --input=folder
  [ "$stderr" = "sframe-profile: folder: a folder, not a recording (perf record without --threads makes one file)" ] \
    || report
  gives 1 profiled --input=nowhere
  [ "$stderr" = "sframe-profile: nowhere: No such file or directory" ] || report
}

@test "the recording is not written over, and options that sample are refused" {
  local sum
  recorded
  sum=$(sha256sum perf.data)
  gives 1 profiled --input=perf.data --perf-data=./perf.data
  [ "$stderr" = "sframe-profile: ./perf.data: the output is the input itself" ] || report
  gives 1 profiled --input=perf.data -o perf.data
  [ "$stderr" = "sframe-profile: perf.data: the output is the input itself" ] || report
  [ "$(sha256sum perf.data)" = "$sum" ]
  # A profile took the place of the new recording.
  local name
  echo old >old
  mkdir folder
  ln -s new folder/../dangling
  for name in new ./new folder/../new "$PWD/new" dangling old ./old; do
    case $name in
      *old) capture "$profile" -q --input=perf.data --perf-data=old -o $name ;;
      *) capture "$profile" -q --input=perf.data --perf-data=new -o "$name" ;;
    esac
    [ "$status" -eq 1 ] || report
    [ "$stderr" = "sframe-profile: $name: is the file of --perf-data" ] || report
    [ "$(cat old)" = old ]
    [ ! -e new ]
  done
  # The second one waited for a reader, who had gone.
  mkfifo fifo
  cat fifo >/dev/null 3>&- &
  children+=("$!")
  gives 1 capture timeout 20 "$profile" -q --input=perf.data --perf-data=fifo -o ./fifo
  [ "$stderr" = "sframe-profile: ./fifo: is the file of --perf-data" ] || report
  gives 0 profiled -q --input=perf.data --perf-data=/dev/null -o /dev/null
  gives 2 profiled --input=perf.data -F 99
  gives 2 profiled --input=perf.data -- true
  gives 2 profiled --perf-data=out.data -- true
}

# Each was cut off before it was written.
@test "an output is there as a whole, or what was there before" {
  local name
  recorded
  gives 0 profiled -q --input=perf.data -o whole.html -o whole --perf-data=whole.data
  # Pipes get the same.
  "$profile" -q --input=perf.data --perf-data=/dev/stdout | cmp - whole.data
  "$profile" -q --input=perf.data -o /dev/stdout | cmp - whole
  echo before >to
  "$profile" -q --input=perf.data -o /dev/stdout >>to
  (echo before && cat whole) | cmp - to
  mkfifo pipe
  cat pipe >piped 3>&- &
  gives 0 profiled -q --input=perf.data -o pipe
  wait $!
  cmp piped whole
  # As where the disk is full.
  for name in old.html old.data; do
    echo old >$name
    ulimit -S -f 1
    case $name in
      *.html) capture "$profile" -q --input=perf.data -o $name ;;
      *) capture "$profile" -q --input=perf.data --perf-data=$name ;;
    esac
    ulimit -S -f unlimited
    [ "$status" -eq 1 ] || report
    [ "$stderr" = "sframe-profile: $name: File too large" ] || report
    [ "$(cat $name)" = old ]
  done
  [ -z "$(find . -name '.cfi2sframe-*')" ]
}

# wrote FILE WHAT: FILE has the folded stacks, and is WHAT (mode and owner).
wrote ()
{
  cmp "$1" whole || report
  [ "$(stat -c '%a %u' "$1")" = "$2" ] || { stat "$1"; return 1; }
}

# All got another mode or owner, or were refused when the samples had been taken.
@test "an output that is there keeps what it is, and is replaced only if it may be" {
  local name own
  recorded
  own=$(id -u)
  gives 0 profiled -q --input=perf.data -o whole
  echo a longer text than any that is to be there afterwards >old
  install -m 640 old private
  gives 0 profiled -q --input=perf.data -o private
  wrote private "640 $own"
  # A link may lead to what is not there yet, through others.
  mkdir links
  ln -s links/first link
  ln -s "$PWD/links/second" links/first
  ln -s ../third links/second
  gives 0 profiled -q --input=perf.data -o link
  [ -L link ]
  [ -L links/second ]
  cmp third whole
  ln -s nowhere/file link-out
  gives 1 profiled -q --input=perf.data -o link-out
  [ "$stderr" = "sframe-profile: link-out: cannot find the directory: No such file or directory" ] \
    || report
  [ "$own" -eq 0 ] && command -v setpriv >/dev/null || skip "needs root and setpriv"
  mkdir -m 1777 sticky
  mkdir -m 755 shut
  install -m 666 old sticky/other
  install -m 600 -o 65534 old shut/own
  install -m 444 -o 65534 old sticky/shown
  install -m 644 old shut/other
  chmod a+rx . .. && chmod a+r perf.data
  local nobody=(setpriv --reuid=65534 --clear-groups "$profile" -q --input=perf.data)
  # It may not look at the program.
  "${nobody[@]}" >whole
  gives 0 capture "${nobody[@]}" -o sticky/other -o shut/own
  wrote sticky/other "666 0"
  wrote shut/own "600 65534"
  for name in sticky/shown shut/other; do
    gives 1 capture "${nobody[@]}" -o $name
    [ "$stderr" = "sframe-profile: $name: cannot open for writing: Permission denied" ] \
      || report
    cmp old $name
  done
  gives 0 profiled -q --input=perf.data -o whole -o shut/own
  wrote shut/own "600 65534"
  [ -z "$(find . -name '.cfi2sframe-*')" ]
}

@test "outputs that no file can replace, and systems without a place for one" {
  recorded
  unshare --mount true 2>/dev/null || skip "no namespaces here"
  gives 0 profiled -q --input=perf.data -o whole
  install -m 640 whole mounted
  echo more >>mounted
  touch over
  gives 0 capture unshare --mount sh -c 'mount --bind mounted over || exit
    exec "$@" -q --input=perf.data -o over' sh "$profile"
  wrote mounted "640 $(id -u)"
  gives 0 capture unshare --mount env -u TMPDIR sh -c 'mount --bind /tmp /tmp \
    && mount -o remount,bind,ro /tmp || exit
    exec "$@" -q --input=perf.data -o /dev/stdout -o /dev/null' sh "$profile"
  cmp - whole <<<"$output"
  install -m 644 mounted appended
  chattr +a appended 2>/dev/null || skip "no append-only files here"
  capture "$profile" -q --input=perf.data -o appended
  chattr -a appended
  [ "$status" -eq 1 ] || report
  [ "$stderr" = "sframe-profile: appended: cannot open for writing: Operation not permitted" ] \
    || report
}

# A part of the profile was there, and nothing else.
@test "an output that is written over stays what it was where the disk is full" {
  recorded
  unshare --mount true 2>/dev/null || skip "no namespaces here"
  gives 0 profiled -q --input=perf.data -o whole.html
  mkdir disk
  cat >full.sh <<'END'
mount -t tmpfs -o size=64k none disk || exit 77
echo before >disk/before
mount --bind disk/before over.html || exit 77
head -c "$1" /dev/zero >disk/filler
"$2" -q --input=perf.data -o over.html
status=$?
cat over.html
stat -c %b disk/before >blocks
exit $status
END
  touch over.html
  TMPDIR=$PWD capture unshare --mount sh full.sh 52k "$profile"
  [ "$status" -ne 77 ] || skip "mounting a tmpfs is not allowed here"
  [ "$status" -eq 1 ] || report
  [ "$stderr" = "sframe-profile: over.html: fallocate: No space left on device" ] \
    || { echo "$stderr"; return 1; }
  [ "$output" = before ] || { head -c 99 <<<"$output"; return 1; }
  [ "$(cat blocks)" -eq 8 ] || { cat blocks; return 1; }
  TMPDIR=$PWD gives 0 capture unshare --mount sh full.sh 1k "$profile"
  cmp - whole.html <<<"$output"
}

# It went on, and an output that had begun was cut off.
@test "a signal ends it while it writes, and while it reads a recording" {
  local victim
  recorded
  mkfifo pipe
  "$profile" -q --input=perf.data -o first -o pipe 3>&- &
  victim=$!
  within_a_minute test -s first
  ended_by_term $victim
  check_stacks first
}

@test "what perf itself records, and reads again" {
  # Not `needs': tools/check.sh does not install perf, which depends on the
  # kernel's permission besides.
  command -v perf >/dev/null || skip "perf not found"
  dumped
  perf record -q -e cpu-clock -F 4999 --call-graph dwarf -o perf.data \
    -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' \
    >/dev/null 2>&1 || skip "perf record is not permitted here"
  gives 0 profiled --input=perf.data -o folded --perf-data=out.data
  [ "$(awk '{ n += $NF } END { print n }' folded)" -ge 10 ]
  [ "$(grep -c '__libc_start_main' folded)" -ge 1 ]
  perf script -i out.data -F comm,ip,sym >script 2>errors
  [ ! -s errors ] || { cat errors; return 1; }
  grep -q '__libc_start_main' script
}

# Samples and their callers were missing, and the exit status was 0.
@test "memory that runs out is told, and no sample is missing without a word" {
  needs_failing_allocations
  recorded
  says_what_is_missing ';' "$profile" -q --input=perf.data -o /dev/stdout
}
