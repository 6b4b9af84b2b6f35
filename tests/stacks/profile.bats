#!/usr/bin/env bats
# sframe-profile: samples, folded stacks, flame graphs.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load stacks

# A program that spends three quarters of its time in one function, below two
# others, and the rest in a thread, for so many seconds of processor time.  It is
# compiled once in a file of tests.
busy_program ()
{
  local made=$BATS_FILE_TMPDIR/busy
  if [ -e "$made" ]; then
    cp "$made" busy
    return
  fi
  cat >busy.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile unsigned sink;
static double limit;
static double
used (clockid_t clock)
{
  struct timespec now;
  clock_gettime (clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
__attribute__ ((noinline)) static void
hot (double until)
{
  while (used (CLOCK_THREAD_CPUTIME_ID) < until)
    for (int i = 0; i < 100000; i++)
      sink += i;
}
__attribute__ ((noinline)) static void middle (double until) { hot (until); sink++; }
static void *thread (void *unused) { hot (limit / 4); sink++; return unused; }
__attribute__ ((noinline)) int odd (int n) { middle (limit * 3 / 4); return n + sink; }
int
main (int argc, char **argv)
{
  pthread_t other;
  limit = argc > 1 ? atof (argv[1]) : 1;
  puts ("ready");
  fflush (stdout);
  pthread_create (&other, NULL, thread, NULL);
  int n = odd (argc);
  pthread_join (other, NULL);
  return n == 12345;
}
END
  "${CC:-cc}" -O1 -fno-optimize-sibling-calls -pthread -c busy.c
  # As functions of C++ and Rust can be called, and worse.
  objcopy --redefine-sym 'odd=odd<name>&"more";' busy.o
  "${CC:-cc}" -pthread -o busy busy.o
  cp busy "$made"
}

profiled ()
{
  capture "$profile" "$@"
  [[ $stderr != *"ermission denied"*"no such process"* \
     && $stderr != *"Operation not permitted"*"did not run"* ]] \
    || skip "tracing is not permitted here"
}

# The samples of the stacks in FILE that match a pattern.
samples ()
{
  grep -E -- "$2" "$1" | awk '{ n += $NF } END { print n + 0 }'
}

# sampled N FILE PATTERN ARGUMENT...: sample, and again while a busy machine
# leaves less than N samples in FILE that match.  How many there are depends on
# who else runs; what they say does not.
sampled ()
{
  # shellcheck disable=SC2034
  local wanted=$1 file=$2 pattern=$3
  shift 3
  sampled_until '[ "$(samples "$file" "$pattern")" -ge "$wanted" ]' "$@"
}

# sampled_until CONDITION ARGUMENT...: the same until CONDITION is true.
sampled_until ()
{
  local condition=$1 tries=0
  shift
  until profiled "$@"
    eval "$condition"; do
    [ $((tries += 1)) -lt 20 ] || report
  done
}

# How often process $1 has waited.
pauses ()
{
  sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status"
}

# The sampler $1 has asked the kernel for samples, or pauses between those it takes.
samples_now ()
{
  ls -l "/proc/$1/fd" | grep -q perf_event || [ "$(pauses "$1")" -ge 50 ]
}

# has_used TICKS PID: so many hundredths of a second of processor time.
has_used ()
{
  awk -v least="$1" '{ exit $14 + $15 < least }' "/proc/$2/stat"
}

# is_sampled SAMPLER PID: wait until it has samples of a process that is busy.
is_sampled ()
{
  within_a_minute samples_now "$1"
  within_a_minute has_used $(($(awk '{ print $14 + $15 }' "/proc/$2/stat") + 8)) "$2"
}

check_shares ()
{
  local all main thread
  all=$(samples "$1" .)
  main=$(samples "$1" '^busy;_start;.*;main;odd<name>&"more":;middle;hot(;[^;]*)* [0-9]+$')
  thread=$(samples "$1" '^busy;.*;thread;hot(;[^;]*)* [0-9]+$')
  echo "$all samples, $main in main, $thread in the thread"
  [ "$all" -ge 40 ]
  # Three quarters and one quarter, roughly: the machine may be busy.
  [ $((main * 100 / all)) -ge 60 ]
  [ $((main * 100 / all)) -le 90 ]
  [ $((thread * 100 / all)) -ge 10 ]
  [ $((thread * 100 / all)) -le 40 ]
}

@test "a command: what it spends its time on, in folded stacks" {
  busy_program
  sampled 150 folded . -F 997 -o folded -- ./busy 0.25
  [ "$status" -eq 0 ] && [ "$output" = ready ] || report
  check_shares folded
  [[ $stderr =~ [0-9]+\ samples\ in\ .*\ s,\ [0-9]+\ \((9[5-9]|100)\.[0-9]\ %\)\ reached ]] \
    || report
}

@test "who called NULL is a guess, and said to be one" {
  wild_program
  BUSY=0.1 sampled 40 folded . -F 997 -o folded -- ./wild 0 handle
  [ "$status" -eq 0 ] || report
  [ "$(samples folded ';main;caller;\[no code, caller guessed\];.*;handler[; ]')" \
    -ge 40 ] || report
}

@test "code of a just-in-time compiler is walked through, and named by perf's map" {
  between_program
  local how
  for how in n x; do
    sampled 40 folded . -F 997 -o folded -- ./between $how 0.1
    [ "$(samples folded .)" -ge 40 ] || report
    [ "$(samples folded '^between;_start;.*;main;my_jit_function_\[j\];leaf[; ]')" -ge \
      $(($(samples folded .) * 9 / 10)) ] || { cat folded; report; }
  done
  # In another namespace it has another number, and another /tmp, which are no
  # more when names are looked for.
  # shellcheck disable=SC2016
  local inside=(unshare --pid --mount --fork sh -c
    'mount -t tmpfs none /tmp && exec ./between x 0.1')
  unshare --pid --mount --fork true 2>/dev/null || skip "no namespaces here"
  xargs rm -f <map
  ln -sf /dev/null map
  sampled 40 folded ';main;my_jit_function_\[j\];leaf[; ]' -F 997 -o folded \
    -- "${inside[@]}"
  [ "$status" -eq 0 ] || report
}

@test "the same by ptrace, and of a process that runs already" {
  busy_program
  sampled 1 folded ';thread;hot' --ptrace -F 199 -o folded -- ./busy 0.3
  [ "$status" -eq 0 ] || report
  sampled 3 folded ';main;odd' --ptrace -F 199 -o folded -- ./busy 0.3
  start_busy ./busy 300
  local option
  for option in '' --ptrace; do
    # shellcheck disable=SC2086
    sampled 3 folded ';main;odd' $option -F 499 -d 0.3 -o folded -p "$pid"
    [ "$status" -eq 0 ] || report
    kill -0 "$pid"
    [ "$(sed -n 's/^TracerPid:\t//p' "/proc/$pid/status")" = 0 ]
  done
  # Without SFrame data in its modules each stack has its innermost frame.
  sampled 1 folded . --only-sframe -F 499 -d 0.2 -o folded -p "$pid"
  [ "$(samples folded '^busy;\[no-section\];[^;]*(;[^; ]*_\[k\])* [0-9]+$')" -eq "$(samples folded .)" ]
  [[ $stderr == *" 0 (0.0 %) reached the outermost frame, no-section "* ]] || report
}

# Two programs whose main calls alpha or beta for so many seconds of processor
# time.
two_programs ()
{
  local name
  cat >spend.c <<'END'
#include <stdlib.h>
#include <time.h>
static volatile unsigned sink;
__attribute__ ((noinline)) static void
NAME (double until)
{
  struct timespec now;
  do
    {
      for (int i = 0; i < 20000; i++)
        sink += i;
      clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
    }
  while ((double)now.tv_sec + (double)now.tv_nsec * 1e-9 < until);
}
int main (int argc, char **argv) { NAME (argc > 1 ? atof (argv[1]) : 1); return sink == 1; }
END
  for name in alpha beta; do
    "${CC:-cc}" -O1 -fno-optimize-sibling-calls -DNAME="$name" -o "in-$name" spend.c
  done
}

@test "what a command starts is sampled, too, with its own names" {
  two_programs
  local option wanted
  for option in '' --ptrace; do
    for wanted in '3 ^in-alpha;_start;.*;main;alpha' \
      '3 ^in-beta;_start;.*;main;beta' '1 ^sh;'; do
      # shellcheck disable=SC2086,SC2016
      sampled "${wanted%% *}" folded "${wanted#* }" $option -F 199 -o folded \
        -- sh -c './in-alpha 0.1; ./in-beta 0.1 & wait
        i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done'
      [ "$status" -eq 0 ] || report
      [ "$(samples folded 'in-alpha;.*beta|in-beta;.*alpha')" -eq 0 ]
    done
  done
  # The same as a picture, with all three below one root.
  gives 0 profiled -F 499 -o folded -o graph.svg -- sh -c './in-alpha 0.05; ./in-beta 0.05'
  grep -q '>in-alpha<' graph.svg
  grep -q '>in-beta<' graph.svg
  # Not if that is not wanted.
  # shellcheck disable=SC2016
  sampled 1 folded '^sh;' --no-inherit -F 999 -o folded -- sh -c './in-alpha 0.05
    i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done'
  [ "$status" -eq 0 ] || report
  [ "$(samples folded '^sh;')" -eq "$(samples folded .)" ]
}

@test "processes that have ended are walked and named by their files" {
  two_programs
  # Each is gone before anyone looks at it, unless by chance.
  local program many='for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
    do ./in-alpha 0.01; ./in-beta 0.01; done; (./in-alpha 0.01)'
  profiled -F 999 -o folded -- sh -c "$many"
  [[ $stderr != *"the process is stopped for every sample"* ]] \
    || skip "perf_event_open is not permitted here"
  for program in alpha beta; do
    sampled 30 folded "^in-$program;_start;.*;main;$program" -F 999 -o folded \
      -- sh -c "$many"
    [ "$status" -eq 0 ] || report
  done
  # Walks end in the dynamic loader, of which the start has no CFI.
  [ "$(samples folded '^in-[ab][a-z]*;\[.*;(main|alpha|beta)[; ]')" -eq 0 ] || report
}

@test "children of a process that runs already are sampled as well" {
  two_programs
  cat >script <<'END'
echo ready
i=0
while [ $i -lt 3000 ]; do ./in-alpha 0.1; i=$((i + 1)); done
END
  start sh script
  local option
  for option in '' --ptrace; do
    # shellcheck disable=SC2086
    sampled 3 folded '^in-alpha;_start;.*;main;alpha' $option -F 499 -d 0.6 \
      -o folded -p "$pid"
    [ "$status" -eq 0 ] || report
  done
}

@test "processes that the process has started already are sampled, and counted" {
  busy_program
  cat >parent.c <<'END'
#include <stdio.h>
#include <unistd.h>
int
main (void)
{
  for (int i = 0; i < 2; i++)
    if (fork () == 0)
      return execl ("./busy", "busy", "300", NULL);
  for (;;)
    pause ();
}
END
  "${CC:-cc}" -o parent parent.c
  start ./parent
  sampled 5 folded '^busy;.*;hot(;[^;]*)* [0-9]+$' -F 499 -d 0.5 -o folded -p "$pid"
  [ "$status" -eq 0 ] || report
  [[ $stderr == *"with 2 processes that it has started (--no-inherit: without)"* ]] || report
  gives 1 profiled --no-inherit -d 0.5 -p "$pid"
  [[ $stderr == *"it did not run while it was sampled" ]] || report
  pkill -P "$pid"
}

@test "the functions that take most are a table" {
  busy_program
  sampled 150 folded . -F 997 --top=3 -o folded -- ./busy 0.25
  [ "$status" -eq 0 ] || report
  [[ ${lines[0]} == ready && ${lines[1]} == "   self    total  function" ]] || report
  # A sample may be in the kernel, or none; those by ptrace often are where it asks
  # for the time.
  [[ ${lines[2]} =~ ^\ *([5-9][0-9]|100)\.[0-9]\ %\ \ \ *[0-9.]+\ %\ \ hot$ ]] || report
  [ "${#lines[@]}" -eq 5 ] || report
  gives 0 profiled --top=1000 -F 997 -- ./busy 0.1
  [[ $output == *" 0.0 %"*" main"* ]] || report
  gives 2 profiled --top=0 -- ./busy 0.1
}

@test "killed or interrupted it leaves the process running" {
  busy_program
  start_busy ./busy 300
  local i victim option
  for i in $(seq 30); do
    option=
    [ $((i % 2)) -eq 0 ] || option=--ptrace
    # shellcheck disable=SC2086
    "$profile" $option -F 999 -o /dev/null -p "$pid" >/dev/null 2>&1 3>&- &
    victim=$!
    sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
    kill -9 "$victim" 2>/dev/null || true
    wait "$victim" 2>/dev/null || true
  done
  # The kernel lets it go on when it has taken the tracer away.
  within_a_minute eval '[ "$(sed -n "s/^TracerPid:\t//p" /proc/$pid/status)" = 0 ]'
  within_a_minute eval '[ "$(sed -n "s/^State:\t\(.\).*/\1/p" /proc/$pid/status)" != t ]'
  # An interrupt ends it early, with a result.
  "$profile" -d 600 -F 499 -q -o folded -p "$pid" 3>&- &
  victim=$!
  children+=("$victim")
  is_sampled "$victim" "$pid"
  kill -TERM "$victim"
  wait "$victim"
  [ "$(samples folded .)" -ge 3 ]
}

@test "a script that executes the program, and libraries that come later" {
  busy_program
  printf '%s\n' '#!/bin/sh' 'exec ./busy 0.15' >script
  chmod +x script
  sampled 20 folded '^busy;_start;.*;main;odd.*;hot' -F 997 -o folded -- ./script
  [ "$status" -eq 0 ] || report
}

# A program that says how long it slept in two functions at once, at least and at
# most, and how long it was off the processor at most while it computed.
napping_program ()
{
  cat >naps.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static volatile unsigned long sink;
static double
now (clockid_t clock)
{
  struct timespec time;
  clock_gettime (clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
__attribute__ ((noinline)) static void
nap (int milliseconds)
{
  const struct timespec time = { 0, milliseconds * 1000000 };
  nanosleep (&time, NULL);
  sink++;
}
__attribute__ ((noinline)) static void
short_naps (void)
{
  for (int i = 0; i < 40; i++)
    nap (5);
}
__attribute__ ((noinline)) static void
long_naps (void)
{
  for (int i = 0; i < 4; i++)
    nap (90);
}
__attribute__ ((noinline)) static void
computes (void)
{
  double own = now (CLOCK_THREAD_CPUTIME_ID);
  while (now (CLOCK_THREAD_CPUTIME_ID) - own < 0.2)
    for (int i = 0; i < 100000; i++)
      sink++;
}
/* Print how long FUNCTION was off the processor: at least, and at most.  */
static void
measure (const char *name, double least, void (*function) (void))
{
  double start = now (CLOCK_MONOTONIC), own = now (CLOCK_THREAD_CPUTIME_ID);
  function ();
  own = now (CLOCK_THREAD_CPUTIME_ID) - own;
  printf ("%s %f %.9f\n", name, least, now (CLOCK_MONOTONIC) - start - own);
}
static void *
other (void *unused)
{
  measure ("long_naps", 0.36, long_naps);
  return unused;
}
int
main (void)
{
  pthread_t thread;
  pthread_create (&thread, NULL, other, NULL);
  measure ("short_naps", 0.2, short_naps);
  pthread_join (thread, NULL);
  measure ("computes", 0, computes);
  return 0;
}
END
  "${CC:-cc}" -O1 -pthread -o naps naps.c
}

@test "time off the processor is what a program sleeps, by function" {
  napping_program
  profiled --off-cpu -o folded -o profile.pb.gz -- ./naps
  [[ $stderr != *"perf_event_paranoid"* ]] || skip "perf_event_open is not permitted here"
  [ "$status" -eq 0 ] || report
  cat folded
  echo "$output" >said
  [ "$(grep -c . said)" -eq 3 ]
  # The kernel's account of time on a processor may differ by some microseconds for
  # each switch.
  awk 'NR == FNR { least[$1] = $2; most[$1] = $3; next }
       { for (name in most) if (index ($0, ";" name ";")) found[name] += $NF / 1e9 }
       END { for (name in most) {
               print name, least[name], found[name] + 0, most[name]
               if (found[name] < least[name] - 0.005 || found[name] > most[name] + 0.005)
                 wrong = 1 }
             exit wrong }' said folded
  # Computing it did not wait for anything but a processor.
  [ "$(grep ';computes[; ]' folded | grep -vc ';\[preempted\] [0-9]*$')" -eq 0 ]
  python3 "$BATS_TEST_DIRNAME/pprof.py" profile.pb.gz >read
  [ "$(sed -n 1p read)" = "samples/count off-cpu/nanoseconds" ]
  [ "$(awk '/;long_naps;/ { n += $(NF - 4) } END { print n }' read)" -ge 4 ]
}

@test "time off the processor of a process that sleeps on, and where the kernel does not tell" {
  sleep 600 3>&- &
  children+=("$!")
  local pid=$! victim began before behind
  within_a_minute grep -q sleep /proc/"$pid"/comm
  let_settle "$pid"
  began=$EPOCHREALTIME
  "$profile" --off-cpu -d 2 -o folded -p "$pid" 2>told 3>&- &
  victim=$!
  children+=("$victim")
  within_a_minute eval 'samples_now "$victim" || has_ended "$victim"'
  # It is woken once, and sleeps on to the end of the samples.
  sleep 0.4
  before=$EPOCHREALTIME
  kill -STOP "$pid"
  behind=$EPOCHREALTIME
  sleep 0.2
  kill -CONT "$pid"
  status=0
  wait "$victim" || status=$?
  grep -q perf_event_paranoid told || {
    [ "$status" -eq 0 ] || { cat told; report; }
    cat folded
    # What it slept before nobody knows.  On a busy machine it is late at each of
    # these times.
    awk -v began="$began" -v before="$before" -v behind="$behind" -v "end=$EPOCHREALTIME" '
      { n += $NF / 1e9 }
      END { print n; exit !(n > began + 2 - behind - 0.5 && n > 0 && n < end - before) }' folded
  }
  gives 2 profiled --off-cpu --ptrace -p "$pid"
  gives 2 profiled --off-cpu -F 99 -p "$pid"
  [ "$(id -u)" -eq 0 ] || skip "not root, who could become somebody else"
  [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] || skip "everybody may see switches"
  chmod 755 .
  gives 1 capture timeout 20 setpriv --reuid=65534 --clear-groups "$profile" --off-cpu \
    -- sleep 0
  [[ $stderr == *": the kernel tells of switches only if perf_event_paranoid is below 2, or with CAP_PERFMON" ]] \
    || report
}

@test "what is inlined in a function within a function" {
  cat >nested.c <<'END'
static volatile unsigned sink;
static inline __attribute__ ((always_inline)) void
deep (void) { for (int i = 0; i < 1000; i++) sink++; }
static inline __attribute__ ((always_inline)) void
between (void) { deep (); }
__attribute__ ((noinline)) static void
around (int n)
{
  __attribute__ ((noinline)) void within (void) { between (); sink += n; }
  for (int i = 0; i < n; i++)
    within ();
}
int
main (void)
{
  around (300000);
  return 0;
}
END
  "${CC:-cc}" -g -O2 -o nested nested.c || skip "the compiler knows no functions within functions"
  sampled 3 folded ';around[^;]*;within[^;]*;between_.i.;deep_.i.[; ]' \
    -q --inlines -F 499 -o folded -- ./nested
  [ "$status" -eq 0 ] || report
}

@test "what is inlined in units that .debug_aranges does not have, between others" {
  cat >first.c <<'END'
int middle (unsigned n);
int main (void) { return middle (300000); }
END
  cat >middle.c <<'END'
static volatile unsigned sink;
static inline __attribute__ ((always_inline)) void
deep (void) { for (int i = 0; i < 1000; i++) sink++; }
__attribute__ ((noinline)) int
middle (unsigned n) { for (unsigned i = 0; i < n; i++) deep (); return 0; }
END
  echo 'int last (void) { return 0; }' >last.c
  "${CC:-cc}" -g -O2 -c first.c middle.c last.c
  objcopy --remove-section .debug_aranges middle.o
  "${CC:-cc}" -o units first.o middle.o last.o
  sampled 3 folded ';middle;deep_.i.[; ]' -q --inlines -F 499 -o folded -- ./units
  [ "$status" -eq 0 ] || report
}

# Debug information may have any number, and each of them a long name.
@test "of functions inlined one into the other a thousand are named" {
  local i
  {
    echo '#include <time.h>
static volatile unsigned sink;
#define INLINED static inline __attribute__ ((always_inline)) void
INLINED f0 (void) { for (int i = 0; i < 100000; i++) sink += i; }'
    for i in {1..1100}; do
      echo "INLINED f$i (void) { f$((i - 1)) (); }"
    done
    echo 'int main (void) { while (clock () < CLOCKS_PER_SEC / 5) f1100 (); return 0; }'
  } >deep.c
  "${CC:-cc}" -g -O1 -o deep deep.c
  sampled 3 folded 'main;f1100_\[i\];' -q --inlines -o folded -- ./deep
  [ "$(grep -F 'main;f1100_[i];' folded | head -1 | grep -o '_\[i\]' | wc -l)" -eq 1024 ] || report
}

@test "flame graphs are well-formed, whatever functions are called" {
  needs python3
  busy_program
  gives 0 profiled -F 997 -o graph.svg -o graph.html -o folded -- ./busy 0.1
  gives 0 profiled --icicle -F 997 -o icicle.svg -- ./busy 0.1
  python3 - graph.svg folded icicle.svg <<'END'
import sys, xml.etree.ElementTree as tree
space = "{http://www.w3.org/2000/svg}"
def functions(name):
    """Of each function: place and width (percent), row, samples."""
    boxes = {}
    svg = tree.parse(name).getroot()
    assert (svg.get("width"), svg.get("viewBox")) == ("100%", None)
    for box in svg.find(space + "g").iter(space + "svg"):
        title, rest = box.find(space + "title").text.rsplit(" (", 1)
        rect = box.find(space + "rect")
        assert (rect.get("width"), rect.get("height")) == ("100%", "100%")
        percent = [float(box.get(key)[:-1]) for key in ("x", "width")
                   if box.get(key)[-1] == "%"]
        boxes.setdefault(title, []).append(
            (*percent, int(box.get("y")), int(rest.split()[0])))
    return boxes
boxes = functions(sys.argv[1])
# The root is as wide as the picture, and everything is on it.
(x, width, bottom, total), = boxes["busy"]
assert (x, width) == (0, 100), (x, width)
assert total == sum(int(line.rsplit(" ", 1)[1]) for line in open(sys.argv[2]))
for name, places in boxes.items():
    for x, width, y, samples in places:
        assert x >= 0 and x + width <= 100.0001 and y <= bottom, name
        assert abs(width - 100 * samples / total) < 0.001, name
caller, = boxes['odd<name>&"more";']
callee, = boxes['middle']
assert caller[2] - callee[2] == 17 and caller[0] <= callee[0], (caller, callee)
assert callee[0] + callee[1] <= caller[0] + caller[1] + 0.001
boxes = functions(sys.argv[3])
assert boxes['middle'][0][2] - boxes['odd<name>&"more";'][0][2] == 17
assert boxes['busy'][0][2] == min(box[2] for list in boxes.values() for box in list)
END
  head -n 1 graph.html | grep -q '^<!DOCTYPE html>'
  # Nothing is fetched.
  run ! grep -oE '(src|href)=|@import|url *\(|fetch|XMLHttp' graph.html graph.svg
  [ "$(grep -ohE 'https?://[^" ]*' graph.html graph.svg | sort -u)" \
    = "$(printf '%s\n' http://www.w3.org/1999/xhtml http://www.w3.org/2000/svg)" ]
  # What every reader needs is in both.
  local file part
  for file in graph.svg graph.html; do
    for part in 'prefers-color-scheme:dark' 'id="search"' 'id="all"' "addEventListener ('keydown'" \
      "addEventListener ('scroll'" "addEventListener ('resize'" 'tabindex="0"'; do
      grep -qF -- "$part" "$file" || { echo "$file: no $part"; return 1; }
    done
  done
}

@test "in a picture one searches, enlarges and comes back, by keys and clicks" {
  needs node
  busy_program
  gives 0 profiled -F 997 -o graph.svg -o graph.html -- ./busy 0.1
  gives 0 profiled --icicle -F 997 -o icicle.svg -- ./busy 0.1
  node "$srcdir/tests/stacks/picture.js" graph.svg graph.html icicle.svg
}

@test "functions without names are told apart by the start of their rows" {
  busy_program
  strip -o stripped busy
  sampled 40 nameless . -F 997 -o nameless -- ./stripped 0.2
  [ "$(samples nameless 'stripped\]')" -eq 0 ] || report
  # PIE or not, middle is where its symbol says.
  local at base
  at=$(nm busy | sed -n 's/^0*\([0-9a-f]*\) [tT] middle$/\1/p')
  base=$(readelf -lW busy | awk '$1 == "LOAD" { print $3; exit }')
  at=$(printf 'stripped\+0x%x' $((0x$at - base)))
  # Three quarters of the program's time.
  [ "$(samples nameless ";$at;stripped\+0x[0-9a-f]*[; ]")" \
    -ge $(($(samples nameless .) / 3)) ] || { cat nameless; report; }
}

@test "a symbol without a size ends where the next rows begin" {
  [ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
  cat >unsized.s <<'END'
        .globl  _start, tail
_start: .cfi_startproc
        .cfi_undefined rip
        call    tail
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .cfi_endproc
tail:   .cfi_startproc
        call    1f
        ret
        .cfi_endproc
        .p2align 4
1:      .cfi_startproc
        mov     $200000000, %eax
2:      dec     %eax
        jnz     2b
        ret
        .cfi_endproc
END
  "${CC:-cc}" -nostdlib -static -no-pie -o unsized unsized.s
  sampled 5 folded . -F 997 -o folded -- ./unsized
  [ "$(samples folded '^unsized;_start;tail;unsized\+0x[0-9a-f]*0[; ]')" -ge 5 ] \
    || report

  # Code behind those rows that has none itself.
  sed '/^1:/,$ { s/mov .*/call 3f/; /^2:/d; /jnz/d; }' unsized.s >behind.s
  printf '%s\n' '3: mov $200000000, %eax' '4: dec %eax' 'jnz 4b' ret >>behind.s
  "${CC:-cc}" -nostdlib -static -no-pie -o behind behind.s
  sampled 5 behind.folded . -F 997 -o behind.folded -- ./behind
  [ "$(samples behind.folded ';\[behind\][; ]')" -ge 5 ] || report
}

@test "a library that is cut off while it is sampled costs its names alone" {
  cat >spins.c <<'END'
#include <stdio.h>
#include <unistd.h>
volatile unsigned sink;
static const char large[1 << 16] = { 1 };
__attribute__ ((noinline)) void spins (void) { for (;;) sink += large[sink % 9]; }
END
  cat >main.c <<'END'
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
void spins (void);
static void
cut (int number)
{
  (void)number;
  if (truncate ("libspins.so", 0) == 0)
    _exit (7);
}
int
main (void)
{
  struct itimerval soon = { .it_value.tv_usec = 200000 };
  signal (SIGPROF, cut);
  setitimer (ITIMER_PROF, &soon, NULL);
  spins ();
}
END
  "${CC:-cc}" -O1 -fPIC -shared -o libspins.so spins.c
  "${CC:-cc}" -O1 -Wl,-z,now -o spin main.c ./libspins.so
  gives 7 profiled -F 997 -o folded -- ./spin
  [ "$(samples folded '^spin;_start;.*;main')" -ge 3 ] || { cat folded; report; }
}

@test "the exit status is the command's, however short it is" {
  local how command
  local -A statuses=([true]=0 [exit 7]=7 ['kill -9 $$']=137 [sleep 0.3; false]=1)
  for how in "" --ptrace; do
    for command in "${!statuses[@]}"; do
      # shellcheck disable=SC2086
      profiled $how -o folded -- sh -c "$command"
      [ "$status" -eq "${statuses[$command]}" ] || report
      [ "${#stderr_lines[@]}" -le 2 ] || report
    done
    # shellcheck disable=SC2086
    gives 0 profiled $how -o graph.svg -- true
    grep -q '</svg>' graph.svg
  done
  # One that does not end by itself has none.
  sampled 1 folded . -o folded -d 0.3 -- sh -c 'trap "exit 5" TERM; while :; do :; done'
  [ "$status" -eq 0 ] || report
}

# It was waited for until the time was over.
@test "a process that has ended is not sampled any longer, whoever asks for its status" {
  local how number victim
  cat >child.c <<'END'
#include <stdio.h>
#include <unistd.h>
static volatile unsigned sink;
int
main (void)
{
  int child = fork ();
  if (child > 0 && printf ("ready\n%d\n", child) && fflush (stdout) == 0)
    for (;;)
      pause ();
  for (;;)
    sink++;
}
END
  "${CC:-cc}" -O1 -o child child.c
  for how in "" --ptrace; do
    start ./child
    number=$(tail -n 1 ready)
    children+=("$number")
    # shellcheck disable=SC2086
    "$profile" $how -q -F 199 -d 600 -o folded -p "$number" 3>&- &
    victim=$!
    children+=("$victim")
    is_sampled "$victim" "$number"
    kill -9 "$number"
    within_a_minute has_ended "$victim"
    wait "$victim"
    grep -q '^State:.Z' "/proc/$number/status"
    [ "$(samples folded main)" -ge 1 ]
  done
}

# Whether strace, as process $tracer, may trace process $1.
attaches ()
{
  strace -qq -e trace=none -o /dev/null -p "$1" 3>&- &
  tracer=$!
  children+=("$tracer")
  until grep -q "^TracerPid:[^0-9]*$tracer$" "/proc/$1/status"; do
    ! has_ended "$tracer" || return 1
    sleep 0.05
  done
}

@test "another tracer costs samples by ptrace, and neither the profile nor the command" {
  needs_strace
  local victim number tracer paused
  cat >busy.sh <<'END'
trap 'echo asked >>said' TERM
echo $$ >number
while [ ! -e done ]; do :; done
echo finished >>said
END
  "$profile" --ptrace -F 199 -o folded -- sh busy.sh 2>log 3>&- &
  victim=$!
  children+=("$victim")
  within_a_minute test -s number
  number=$(cat number)
  children+=("$number")
  is_sampled "$victim" "$number"
  # It is let in between two samples.
  within_a_minute attaches "$number" || skip "strace may not attach"
  # A try takes up to 200 pauses, and one that had begun does not count.
  paused=$(pauses "$victim")
  within_a_minute eval '[ "$(pauses "$victim")" -ge $((paused + 500)) ]'
  kill "$tracer"
  touch done
  wait "$victim" || { cat log; return 1; }
  [ "$(cat said)" = finished ] || { cat said log; return 1; }
  grep -q ' [1-9][0-9]* lost' log || { cat log; return 1; }
}

@test "a thread that another process traces costs samples, and is said to" {
  needs_strace
  busy_program
  start_busy ./busy 300
  within_a_minute eval '[ "$(ls /proc/"$pid"/task | wc -l)" -eq 2 ]'
  strace -qq -e trace=none -o /dev/null -p "$pid" 3>&- &
  children+=("$!")
  within_a_minute grep -q "^TracerPid:.*$!" /proc/"$pid"/status || skip "strace may not attach"
  sampled 1 folded ';thread;hot' --ptrace -F 199 -d 0.5 -o folded -p "$pid"
  [ "$status" -eq 0 ] || report
  [[ $stderr =~ \;\ [1-9][0-9]*\ lost ]] || report
}

# Every sample ended the wait.
@test "by ptrace a thread that waits is not stopped, nor is its system call ended" {
  cat >waits.c <<'END'
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
static volatile unsigned sink, ended;
static void *
wait_on (void *unused)
{
  struct epoll_event event;
  int queue = epoll_create1 (0);
  for (;;)
    ended += epoll_wait (queue, &event, 1, -1) < 0 && errno == EINTR;
  return unused;
}
__attribute__ ((noinline)) static void
busy (double seconds)
{
  while (clock () < seconds * CLOCKS_PER_SEC)
    for (int i = 0; i < 100000; i++)
      sink += i;
}
int
main (int argc, char **argv)
{
  pthread_t other;
  pthread_create (&other, NULL, wait_on, NULL);
  busy (atof (argv[argc - 1]));
  printf ("%u\n", ended);
  return 0;
}
END
  "${CC:-cc}" -O1 -pthread -o waits waits.c
  sampled 10 folded busy --ptrace -F 199 -o folded -- ./waits 0.5
  [ "$output" -le 1 ] || report
  [ "$(samples folded wait_on)" -eq 0 ] || { cat folded; return 1; }
}

# The server takes two seconds to say that it has nothing.
@test "by ptrace the process stands still for its copy, not for its names and rows" {
  needs python3
  cat >gaps.c <<'END'
#include <stdio.h>
#include <time.h>
static double
now (clockid_t clock)
{
  struct timespec time;
  clock_gettime (clock, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
int
main (void)
{
  double last = now (CLOCK_MONOTONIC), longest = 0;
  while (now (CLOCK_PROCESS_CPUTIME_ID) < 0.5)
    {
      double time = now (CLOCK_MONOTONIC);
      longest = time - last > longest ? time - last : longest;
      last = time;
    }
  printf ("%.0f\n", longest * 1000);
  return 0;
}
END
  "${CC:-cc}" -O1 -Wl,--build-id -o gaps gaps.c
  cat >slow.py <<'END'
import http.server
import time


class Slow(http.server.BaseHTTPRequestHandler):
    slow = 2

    def do_GET(self):
        time.sleep(Slow.slow)
        Slow.slow = 0
        self.send_error(404)


server = http.server.HTTPServer(('127.0.0.1', 0), Slow)
print(server.server_port, flush=True)
server.serve_forever()
END
  python3 slow.py >port 2>/dev/null 3>&- &
  children+=($!)
  within_a_minute test -s port
  DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) \
    DEBUGINFOD_CACHE_PATH=$PWD/cache \
    gives 0 profiled --ptrace --debuginfod -o folded -- ./gaps
  [[ $stderr != *"no libdebuginfod"* ]] || skip "no libdebuginfod"
  [ "$(samples folded .)" -ge 1 ] || { cat folded; report; }
  [ "$output" -lt 1500 ] || report
}

@test "a command that does not end is waited for until the next interrupt" {
  local victim number
  "$profile" -q -F 199 -d 600 -o folded -- \
    sh -c 'trap "echo kept >>kept" TERM; echo $$ >number; while :; do :; done' 3>&- &
  victim=$!
  within_a_minute test -s number
  number=$(cat number)
  children+=("$victim" "$number")
  is_sampled "$victim" "$number"
  kill -TERM "$victim"
  within_a_minute test -s kept
  # All is written, and there is nothing left but to wait.
  [ -s folded ]
  kill -0 "$victim"
  within_a_minute eval '! kill -TERM "$victim"'
  kill -0 "$number"
}

@test "kernel time that is not sampled is said to be missing" {
  [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null \
    && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] \
    || skip "needs root, setpriv and perf_event_paranoid of 2 or more"
  busy_program
  chmod 755 .
  profiled -o "$PWD/all" -- ./busy 0.2
  [[ $stderr != *"in the kernel"* ]] || report
  mkdir -m 777 open
  profile="setpriv --reuid=65534 --clear-groups $profile"
  # shellcheck disable=SC2086
  capture $profile -o open/own -- ./busy 0.2
  [[ $stderr != *"the process is stopped for every sample"* ]] \
    || skip "perf_event_open is not permitted"
  [[ $stderr == *"; without time in the kernel (perf_event_paranoid)"* ]] || report
}

@test "threads by themselves" {
  busy_program
  local option
  for option in '' --ptrace; do
    # shellcheck disable=SC2086
    sampled 1 folded '^busy;busy/[0-9]+;.*;thread;hot' $option --threads -F 499 \
      -o folded -- ./busy 0.2
    [ "$status" -eq 0 ] || report
    cut -d';' -f1,2 folded | sort -u >threads
    cat threads
    [ "$(grep -cx 'busy;busy/[0-9]*' threads)" -eq 2 ]
  done
}

@test "a thread is called as it was called last, by whatever it was sampled" {
  cat >renamed.c <<'END'
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
static volatile unsigned sink;
static void
use (double seconds)
{
  struct timespec now;
  do
    {
      for (int i = 0; i < 100000; i++)
        sink += i;
      clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
    }
  while ((double)now.tv_sec + (double)now.tv_nsec * 1e-9 < seconds);
}
static void *
thread (void *unused)
{
  prctl (PR_SET_NAME, "before");
  use (0.05);
  prctl (PR_SET_NAME, "after");
  use (0.2);
  return unused;
}
int
main (void)
{
  pthread_t other;
  pthread_create (&other, NULL, thread, NULL);
  return pthread_join (other, NULL);
}
END
  "${CC:-cc}" -O1 -pthread -o renamed renamed.c
  local how
  for how in --no-inherit --ptrace; do
    sampled 10 folded '^renamed;after/' -F 499 --threads $how -o folded -- ./renamed
    [ "$(samples folded before)" -eq 0 ] || { cat folded; report; }
  done
}

@test "what the kernel does is on the stack of who asked for it" {
  profiled -F 999 -o folded -- dd if=/dev/zero of=/dev/null bs=1M count=1000
  [ "$status" -eq 0 ] || report
  [[ $stderr != *"the process is stopped for every sample"* \
     && $stderr != *"without time in the kernel"* ]] \
    || skip "the kernel may not be sampled here"
  cat folded
  # glibc 2.41 has two functions of its own in front of the system call.
  sampled 3 folded ';read(;[^; ]*)*;[^; ]*_\[k\](;[^; ]*_\[k\])* [0-9]+$' \
    -F 999 -o folded -- dd if=/dev/zero of=/dev/null bs=1M count=1000
}

@test "samples of 32-bit programs are said not to be there" {
  [ "$(uname -m)" = x86_64 ] || skip "x86-64 alone runs them as it is"
  cat >narrow.c <<'END'
void
_start (void)
{
  for (volatile unsigned i = 0; GOES_ON; i++)
    ;
  __asm__ volatile ("int $0x80" : : "a"(1), "b"(0));
}
END
  mkdir endless
  "${CC:-cc}" -m32 -O1 -nostdlib -static -DGOES_ON='i < 150000000' -o narrow narrow.c 2>/dev/null \
    && ./narrow || skip "no 32-bit programs here"
  "${CC:-cc}" -m32 -O1 -nostdlib -static -DGOES_ON=1 -o endless/narrow narrow.c
  local how
  for how in --inlines --ptrace; do
    gives 0 profiled -F 997 $how -o folded -- sh -c './narrow; true'
    [[ $stderr =~ [0-9]\ samples?\ of\ 32-bit\ programs,\ which\ are\ not\ walked ]] || report
    endless/narrow 3>&- &
    children+=("$!")
    within_a_minute grep -q narrow "/proc/$!/comm"
    sampled_until '[[ $stderr == *program ]]' $how -d 0.5 -o folded -p "$!"
    [ "$status" -eq 1 ] && [ "${stderr##*$'\n'}" = "sframe-profile: narrow: its registers are not those of a 64-bit program" ] || report
  done
}

@test "what cannot be sampled is refused in one line" {
  local arguments
  for arguments in "" "-p 1 true" "-F 0 true" "-F 10001 true" "-d 0 true" \
                   "-d x true" "-p x"; do
    # shellcheck disable=SC2086
    capture "$profile" $arguments
    [ "$status" -eq 2 ] || report
  done
  capture "$profile" -q -- ./missing
  [ "$status" -eq 1 ] || report
  [ "$stderr" = "sframe-profile: ./missing: No such file or directory" ] || report
  capture "$profile" -q -p 2147483647
  [ "$status" -eq 1 ] || report
  [ "$stderr" = "sframe-profile: process 2147483647: no such process" ] || report
  sleep 600 3>&- &
  children+=("$!")
  within_a_minute grep -q sleep "/proc/$!/comm"
  let_settle $!
  gives 1 profiled -q -d 0.3 -p $!
  [ "$stderr" = "sframe-profile: sleep: it did not run while it was sampled" ] \
    || report
}

@test "an output that cannot be written is told before the sampling" {
  local name told
  mkdir folder
  while read -r name told; do
    capture "$profile" -q -o one.html -o $name -- touch ran
    [ "$status" -eq 1 ] || report
    [ "$stderr" = "sframe-profile: $name: $told" ] || report
    [ ! -e ran ]
    [ ! -e one.html ]
  done <<'END'
no/such/folder cannot find the directory: No such file or directory
folder is a directory
folder/ is a directory
END
}

# The command had run before, for nothing.
@test "a profile to compare with that cannot be read is told before the sampling" {
  local name told
  mkdir folder
  echo no stacks >wrong
  while read -r name told; do
    gives 1 profiled -q -o one.html --diff=$name -- touch ran
    [ "$stderr" = "sframe-profile: $name: $told" ] || report
    [ ! -e ran ]
    [ ! -e one.html ]
  done <<'END'
missing No such file or directory
folder Is a directory
wrong no folded stacks (-o FILE of sframe-profile)
END
  busy_program
  profiled -q -F 199 -o folded -- ./busy 0.1
  gives 0 profiled -q -F 199 --diff=<(cat folded) -- ./busy 0.1
  [[ $output == *" change "*" hot"* ]] || report
}

# ends_by PID SIGNAL: a child of this shell ends by the signal.  One that follows
# another at once is the same to it.
ends_by ()
{
  within_a_minute eval 'kill -'"$2 $1"'; has_ended '"$1"
  status=0
  wait "$1" || status=$?
  [ "$status" -eq $((128 + $(kill -l "$2"))) ] || report
}

# Nothing ended it once the samples were taken.
@test "an interrupt that comes twice, as from timeout, is one; a later one ends it" {
  local victim
  busy_program
  start_busy ./busy 300
  "$profile" -q -F 199 -d 600 -o folded -p "$pid" 3>&- &
  victim=$!
  children+=("$victim")
  is_sampled "$victim" "$pid"
  # Two of one kind would be one while it is stopped.
  kill -STOP "$victim"
  kill -INT "$victim"
  kill -TERM "$victim"
  kill -CONT "$victim"
  wait "$victim"
  [ "$(samples folded .)" -ge 1 ]
  mkfifo pipe
  "$profile" -q -F 199 -d 600 -o first -o pipe -p "$pid" 3>&- &
  victim=$!
  children+=("$victim")
  is_sampled "$victim" "$pid"
  kill -INT "$victim"
  within_a_minute test -s first
  ends_by "$victim" TERM
  [ "$(samples first .)" -ge 1 ]
  kill -0 "$pid"
}

# Scripts end perf record so, and shells have what is in the background ignore it.
@test "SIGINT ends the sampling in the background of a script" {
  local victim
  busy_program
  start_busy ./busy 300
  (trap '' INT && exec "$profile" -q -F 199 -d 600 -o folded -p "$pid") 3>&- &
  victim=$!
  children+=("$victim")
  is_sampled "$victim" "$pid"
  kill -INT "$victim"
  wait "$victim"
  [ "$(samples folded .)" -ge 1 ]
}

# The command ran on.
@test "a command ends with sframe-profile, whatever signal ends that" {
  local victim number signal
  busy_program
  mkfifo pipe
  for signal in TERM HUP PIPE; do
    rm -f first number
    # Below nohup(1) SIGHUP is ignored.
    env --default-signal=HUP "$profile" -q -F 199 -d 600 -o first -o pipe -- \
      sh -c 'echo $$ >number && exec ./busy 300' 3>&- &
    victim=$!
    children+=("$victim")
    within_a_minute test -s number
    number=$(cat number)
    children+=("$number")
    is_sampled "$victim" "$number"
    kill -INT "$victim"
    within_a_minute test -s first
    ends_by "$victim" $signal
    within_a_minute has_ended "$number"
  done
}

# Nothing but SIGKILL ended it.
@test "another interrupt ends it while it waits for a server that never answers" {
  local victim
  needs python3
  busy_program
  cat >server.py <<'END'
import socket, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
server.accept()
print("asked", flush=True)
time.sleep(300)
END
  python3 server.py >port 3>&- &
  children+=($!)
  within_a_minute test -s port
  start_busy ./busy 300
  mkdir cache
  DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) DEBUGINFOD_TIMEOUT=300 XDG_CACHE_HOME=$PWD/cache \
    "$profile" --debuginfod -q -F 199 -d 600 -o folded -p "$pid" 2>told 3>&- &
  victim=$!
  children+=("$victim")
  within_a_minute eval 'grep -q asked port || has_ended "$victim"'
  ! grep -q libdebuginfod told || skip "$(cat told)"
  ends_by "$victim" TERM
  kill -0 "$pid"
}

@test "a command is not started once the end was asked for, and has the signals that are ignored" {
  busy_program
  ! grep -q __asan_init "$profile" || skip "AddressSanitizer is loaded first"
  cat >asked.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int
pipe2 (int *to, int flags)
{
  raise (SIGTERM);
  return syscall (SYS_pipe2, to, flags);
}
END
  "${CC:-cc}" -shared -fPIC -O1 -o asked.so asked.c
  LD_PRELOAD=$PWD/asked.so gives 1 profiled -q -o folded -- touch ran
  [ "$stderr" = "sframe-profile: touch: interrupted before it was started" ] || report
  [ ! -e ran ]
  trap '' INT XFSZ
  grep SigIgn /proc/self/status >own
  gives 0 profiled -q -o folded -- grep SigIgn /proc/self/status
  trap - INT XFSZ
  [ "$output" = "$(cat own)" ] || report
}

@test "a mistyped option is named, those of the command are its own" {
  capture "$profile" --frequencey=9 -- true
  [ "$status" -eq 2 ] || report
  [[ $stderr == *"unrecognized option '--frequencey=9'"* ]] || report
  capture "$profile" -q -o folded echo --frequencey
  [[ $output == --frequencey ]] || report
}

@test "code whose CFA no row can say is left by its CFI" {
  assembly_program
  sampled 50 folded ';main;by_expression;through_rbx;by_rbx;inner;between;wait_here' \
    -F 997 -o folded -- ./assembly 0.1
  [[ $stderr == *"(100.0 %) reached the outermost frame"* ]] || report
}

@test "commands that end soon are in the dynamic linker, to the outermost frame" {
  profiled -o folded -- true
  [[ $stderr != *"the process is stopped for every sample"* ]] \
    || skip "perf_event_open is not permitted here"
  sampled 21 folded '^(true|ls);' -F 4000 -o folded -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; /bin/ls; done'
  # What the kernel does for execve has no stack below it.
  [ "$(samples folded 'no-section.*execve')" -eq 0 ] || report
  [ "$(samples folded '\[no-row\];(_start|_dl_start|ld-linux)')" -eq 0 ] || report
  local ended all
  ended=$(samples folded '^(true|ls);\[')
  all=$(samples folded '^(true|ls);')
  [ $((10 * ended)) -le "$all" ] || { cat folded; report; }
}
