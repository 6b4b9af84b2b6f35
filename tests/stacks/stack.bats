#!/usr/bin/env bats
# sframe-stack: stacks of living processes and of core files.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load stacks

# A program whose threads wait: main below four calls, one below twenty, one in
# a signal handler with a stack of its own.
waiting_program ()
{
  cat >waiting.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
volatile unsigned long count;
static pthread_barrier_t ready;
static void
wait_for_ever (void)
{
  pthread_barrier_wait (&ready);
  for (;;)
    usleep (1000), count++;
}
static void handler (int n) { (void)n; wait_for_ever (); }
__attribute__ ((noinline)) static int
deeper (int n)
{
  char space[100];
  memset (space, n, sizeof space);
  if (n == 0)
    wait_for_ever ();
  else
    deeper (n - 1);
  return space[n];
}
static void *thread_deep (void *unused) { deeper (20); return unused; }
static void *
thread_signal (void *unused)
{
  stack_t stack = { .ss_sp = malloc (65536), .ss_size = 65536 };
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
  sigaltstack (&stack, NULL);
  sigaction (SIGUSR1, &action, NULL);
  pthread_kill (pthread_self (), SIGUSR1);
  return unused;
}
int
main (void)
{
  pthread_t a, b;
  pthread_barrier_init (&ready, NULL, 3);
  pthread_create (&a, NULL, thread_deep, NULL);
  pthread_create (&b, NULL, thread_signal, NULL);
  puts ("ready");
  fflush (stdout);
  return deeper (3);
}
END
  "${CC:-cc}" -g -O1 -fno-optimize-sibling-calls -pthread -o waiting waiting.c
}

stacks ()
{
  capture "$stack" "$@"
  [[ $stderr != *"Operation not permitted"* ]] \
    || skip "tracing is not permitted here"
}

state_of ()
{
  sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status"
}

# The program runs, and nobody traces it.
goes_on ()
{
  kill -0 "$1"
  local task
  for task in /proc/"$1"/task/*; do
    grep -q '^TracerPid:[[:space:]]*0$' "$task/status" || return 1
    ! grep -q '^State:[[:space:]]*[tT]' "$task/status" || return 1
  done
}

@test "every thread is walked to its outermost frame, as by DWARF" {
  once waiting_program
  start ./waiting
  gives 0 stacks --dwarf "$pid"
  [ "$(grep -c '^Thread ' <<<"$output")" -eq 3 ] || report
  [ "$(grep -c '^  (the outermost frame)$' <<<"$output")" -eq 3 ] || report
  [ "$(grep -c '^  DWARF: the same ' <<<"$output")" -eq 3 ] || report
  ! grep '^[SD]' <<<"$output" || report
  # main below four calls, a thread below 21.
  [ "$(grep -c ' deeper+' <<<"$output")" -eq 25 ] || report
  # What a signal on a stack of its own interrupted.
  grep -A 20 ' handler+' <<<"$output" | grep -q ' thread_signal+' || report
  goes_on "$pid"
}

# The first frame of a coroutine starts at the first byte of __start_context;
# the address before it is another function's, and not even code.
@test "a coroutine starts where makecontext says, not in what lies before" {
  cat >coroutine.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>
volatile unsigned long count;
static ucontext_t first, second;
static void
coroutine (void)
{
  puts ("ready");
  fflush (stdout);
  for (;;)
    usleep (1000), count++;
}
int
main (void)
{
  getcontext (&second);
  second.uc_stack.ss_sp = malloc (65536);
  second.uc_stack.ss_size = 65536;
  second.uc_link = &first;
  makecontext (&second, coroutine, 0);
  return swapcontext (&first, &second);
}
END
  "${CC:-cc}" -g -O1 -static -o coroutine coroutine.c || skip "no static libc"
  nm coroutine | grep -q ' __start_context$' || skip "another makecontext"
  # Its context has the frame pointer of main, which is on another stack.
  "${CC:-cc}" -g -O0 -static -o framed coroutine.c
  local file
  "$CFI2SFRAME" -q -o converted coroutine
  for file in ./coroutine ./converted ./framed; do
    start "$file"
    gives 0 stacks "$pid"
    grep -A 1 ' coroutine+' <<<"$output" \
      | grep -q '^  #[0-9]* *0x[0-9a-f]* __start_context+0x0 ' || report
    # What lies where a return address would be is the context to go to.
    grep -A 1 ' __start_context+' <<<"$output" \
      | grep -q '^  (the outermost frame)$' || report
  done
}

# Below FRAME, whose PC is not code, the caller is shown as a guess.
guessed_below ()
{
  grep -A 20 " $1 ?\$" <<<"$output" >below || report
  sed -n 2p below | grep -q '^  #[0-9]* .* caller+0x[0-9a-f]* (wild) \[guessed\]$' \
    || report
  sed -n 3p below | grep -q ' main+0x[0-9a-f]* (wild)$' || report
  grep -q '(the outermost frame)' below || report
  [ "$(grep -c guessed <<<"$output")" -eq 1 ] || report
}

@test "who called NULL, or a wild pointer, is shown as a guess" {
  once wild_program
  local address
  for address in 0 0x123456789000; do
    start ./wild $address handle
    gives 0 stacks "$pid"
    # The kernel calls handlers by way of __restore_rt.
    grep -A 1 ' handler+' <<<"$output" | grep -q ' <signal handler called>' \
      || grep -A 1 ' handler+' <<<"$output" | grep -q ' __restore_rt+' || report
    guessed_below "$(printf '0x%016x' $address)"
    needs gdb
    gdb -q -batch -ex run -ex 'generate-core-file core.file' \
      --args ./wild $address >log 2>&1 </dev/null
    [ -s core.file ] || { cat log; skip "gdb wrote no core file"; }
    stacks core.file
    guessed_below "$(printf '0x%016x' $address)"
    rm core.file
  done
}

@test "who called what is not code is shown below a handler on another stack, too" {
  cat >alternate.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static void (*volatile called) (void);
static long data[8];
volatile int sink;
static void handler (int n) { (void)n; puts ("ready"); fflush (stdout); for (;;) pause (); }
static void signalled (void) { kill (getpid (), SIGUSR1); sink++; }
__attribute__ ((noipa)) static void caller (void) { called (); sink++; }
int
main (int argc, char **argv)
{
  stack_t stack = { .ss_sp = malloc (65536), .ss_size = 65536 };
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
  const char *what = argv[argc - 1];
  sigaltstack (&stack, NULL);
  sigaction (SIGSEGV, &action, NULL);
  if (strcmp (what, "data") == 0)
    called = (void (*) (void))data;
  if (strcmp (what, "memory") == 0)
    called = (void (*) (void))mmap (NULL, 4096, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  /* As of a plug-in that is gone.  */
  signal (SIGUSR1, (void (*) (int))(void *)data);
  if (strcmp (what, "signal") == 0)
    called = signalled;
  caller ();
  return 0;
}
END
  "${CC:-cc}" -O1 -fno-omit-frame-pointer -o alternate alternate.c
  local what wanted
  for what in null data memory signal; do
    start ./alternate $what
    gives 0 stacks "$pid"
    grep -A 20 ' handler+' <<<"$output" >below
    wanted=' caller\+0x[0-9a-f]+ \(alternate\) \[guessed\][^#]*#[0-9]+ +0x[0-9a-f]+ main\+.*\(the outermost frame\)'
    [ $what != signal ] \
      || wanted=' \[guessed\].* signalled\+.* caller\+.* main\+.*\(the outermost frame\)'
    [[ $(cat below) =~ $wanted ]] || report
    # DWARF does not get beyond what is not code.
    gives 0 stacks --dwarf "$pid"
    [[ $output == *"DWARF: the same "*" frames, and no CFI for more" ]] || report
  done
}

@test "what a signal interrupted at a function's first byte is shown" {
  cat >cold.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void handler (int n) { (void)n; puts ("ready"); fflush (stdout); for (;;) pause (); }
__attribute__ ((noinline)) int check_a (char *p, int n) { char b[300]; memset (b, n, sizeof b); if (p[0] == 'q') abort (); return b[n & 127] + p[1]; }
__attribute__ ((noinline)) int check_b (char *p, int n) { char b[100]; memset (b, n, sizeof b); if (p[0] == 'x') __builtin_trap (); return b[n & 63] + p[1]; }
int
main (int argc, char **argv)
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
  stack_t stack = { .ss_sp = malloc (65536), .ss_size = 65536 };
  sigaltstack (&stack, NULL);
  sigaction (SIGILL, &action, NULL);
  sigaction (SIGTRAP, &action, NULL);
  return check_a (argv[1], argc) + check_b (argv[1], argc) == 12345;
}
END
  "${CC:-cc}" -O2 -o cold cold.c
  convert --replace -o converted cold
  local program
  for program in ./cold ./converted; do
    start $program xq
    # In a converted file, readers would take the row for that of a call of
    # abort in front of it, so that there is none.
    gives 0 stacks --dwarf "$pid"
    grep -A 20 ' handler+' <<<"$output" | grep -A 1 ' check_b' | grep -q ' main+' || report
    [[ $output == *"(the outermost frame)"*"DWARF: the same"*" frames" ]] || report
  done
}

@test "no caller is guessed where no call ends" {
  [ "$(uname -m)" = x86_64 ] || skip "x86-64 only"
  once wild_program
  start ./wild 0 handle jump
  stacks "$pid"
  grep -q ' 0x0000000000000000 ?$' <<<"$output" || report
  grep -q '(no SFrame data: 0x0 is in no file)' <<<"$output" || report
  run ! grep guessed <<<"$output"
}

@test "source lines and modules are shown" {
  once waiting_program
  start ./waiting
  gives 0 stacks -s "$pid"
  local line
  line=$(grep -n 'deeper (n - 1)' waiting.c | cut -d: -f1)
  grep -A 1 ' deeper+0x[0-9a-f]* (waiting)$' <<<"$output" \
    | grep -q "waiting.c:$line\$" || report
  gives 1 stacks -t 1 "$pid"
  [ "$stderr" = "sframe-stack: no such thread" ] || report
  stacks -t "$pid" -n 2 "$pid"
  [ "$(grep -c '^  #' <<<"$output")" -eq 2 ] || report
  [[ ${lines[3]} == "  (no more than 2 frames are shown)" ]] || report
}

# A program that waits below functions with the names given, the first one
# innermost.
named_program ()
{
  local name n=0
  {
    echo '#include <unistd.h>'
    echo 'void f0 (void) { puts ("ready"); fflush (stdout); for (;;) pause (); }'
    for name; do
      n=$((n + 1))
      echo "void f$n (void) { f$((n - 1)) (); __asm__ volatile (\"\"); }"
    done
    echo "int main (void) { f$n (); return 0; }"
  } | sed '1i #include <stdio.h>' >named.c
  "${CC:-cc}" -O1 -fno-inline -fno-optimize-sibling-calls -c named.c
  n=0
  for name; do
    n=$((n + 1))
    objcopy --redefine-sym "f$n=$name" named.o
  done
  "${CC:-cc}" -o named named.o
}

# A name of 400 characters that is terabytes long when it is written out: each
# parameter is a function that takes the one before twice.
long_name ()
{
  local name=_Z1fPFviE id=0 digits=0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ i same
  for i in $(seq 40); do
    same=${digits:id % 36:1}_
    [ "$id" -lt 36 ] || same=${digits:id / 36:1}$same
    name+=PFvS${same}S${same}E
    id=$((id + 2))
  done
  echo "$name"
}

# Five threads that wait in one place, and the first one elsewhere.
equal_threads ()
{
  cat >equal.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_barrier_t barrier;
__attribute__ ((noinline)) static void wait_here (void) { for (;;) pause (); }
static void *
run (void *unused)
{
  pthread_setname_np (pthread_self (), "say \"hi\"");
  pthread_barrier_wait (&barrier);
  wait_here ();
  return unused;
}
int
main (void)
{
  pthread_t thread;
  pthread_barrier_init (&barrier, NULL, 6);
  for (int i = 0; i < 5; i++)
    pthread_create (&thread, NULL, run, NULL);
  pthread_barrier_wait (&barrier);
  puts ("ready");
  fflush (stdout);
  pthread_join (thread, NULL);
}
END
  "${CC:-cc}" -D_GNU_SOURCE -g -O1 -fno-optimize-sibling-calls -pthread -o equal equal.c
}

@test "threads with equal stacks are shown once, the most frequent stack first" {
  once equal_threads
  start ./equal
  gives 0 stacks --group "$pid"
  [[ ${lines[0]} =~ ^5\ threads:(\ [0-9]+){5}$ ]] || report
  [ "$(grep -c wait_here <<<"$output")" -eq 1 ] || report
  [[ $output == *wait_here*outermost*"Thread $pid \"equal\":"*main*outermost* ]] || report
  gives 0 stacks --group -t "$pid" "$pid"
  [[ ${lines[0]} == "Thread $pid "* && $output != *wait_here* ]] || report
  gives 2 stacks --group --dwarf "$pid"
}

@test "stacks as JSON: what the text says" {
  needs python3
  once equal_threads
  start ./equal
  local option
  for option in --json --group; do
    gives 0 stacks --json "$option" -s "$pid"
    echo "$output" >json
    python3 - "$pid" "$option" <<'END' || report
import json, sys
pid, option = int(sys.argv[1]), sys.argv[2]
found = json.load(open('json'))
assert found['pid'] == pid
stacks = found['stacks']
assert len(stacks) == (2 if option == '--group' else 6), stacks
threads = [t for s in stacks for t in s['threads']]
assert len({t['tid'] for t in threads}) == 6
assert sum(t['name'] == 'say "hi"' for t in threads) == 5
for stack in stacks:
    assert stack['end'] == 'outermost'
    frames = stack['frames']
    assert frames[0]['interrupted'] and frames[0]['by'] == 'row'
    assert all(f['pc'].startswith('0x') and f['file'].startswith('/') for f in frames)
    inner = [f for f in frames if f.get('function') in ('wait_here', 'main')]
    assert len(inner) == 1 and inner[0]['source'].endswith('equal.c')
    assert inner[0]['file'].endswith('/equal') and inner[0]['offset'] > 0
    assert inner[0]['line'] > 0
END
  done
}

@test "stacks as JSON: how each frame was found" {
  needs python3
  once between_program
  cat >odd.c <<'END'
#include <stdio.h>
#include <unistd.h>
void odd (void);
void
wait_here (void)
{
  puts ("ready");
  fflush (stdout);
  for (;;)
    pause ();
}
/* CFA = *(rsp) + 8 */
__asm__ (".globl odd\n.type odd, @function\nodd:\n.cfi_startproc\n"
         "mov %rsp, %rax\npush %rax\n"
         ".cfi_escape 0x0f, 5, 0x77, 0, 0x06, 0x23, 8\n"
         "call wait_here\npop %rax\n.cfi_def_cfa %rsp, 8\nret\n"
         ".cfi_endproc\n.size odd, .-odd\n");
int
main (void)
{
  odd ();
  return 0;
}
END
  "${CC:-cc}" -O1 -o odd odd.c
  local program
  for program in "./odd" "./between n"; do
    # shellcheck disable=SC2086
    start $program
    gives 0 stacks --json "$pid"
    python3 -c '
import json, sys
print(*(f.get("function", "?") + ":" + f["by"]
        for s in json.loads(sys.argv[1])["stacks"] for f in s["frames"]))' "$output" >>ways
  done
  grep -q 'wait_here:row odd:row main:CFI ' ways || report
  grep -q 'leaf:row [^ ]*:row main:frame pointer ' ways || report
}

# A compiler's dump says where it is by a mapping.
@test "code of a just-in-time compiler is called as its dump says, wherever that is" {
  needs_x86_64_compiler
  cat >dumps.c <<'END'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
struct header { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; };
struct load { uint32_t kind, size; uint64_t time; uint32_t pid, tid;
              uint64_t vma, start, length, number; char name[8]; };
static void leaf (void) { puts ("ready"); fflush (stdout); for (;;) pause (); }
int
main (int argc, char **argv)
{
  char path[64];
  void *jit = mmap (NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint64_t at = (uintptr_t)memcpy (jit, code, sizeof code);
  struct header header = { 0x4a695444, 1, sizeof header, 62, 0, getpid (), 0, 0 };
  struct load other = { 2, sizeof other, 0, 1, 1, 0, at, 8, 1, "no code" };
  struct load load = { 0, sizeof load, 0, 1, 1, at, at, sizeof code, 1, "dumped" };
  switch (argv[argc - 1][0])
    {
    case 'm': header.magic++; break;
    case 'h': header.size = 1 << 20; break;
    case 'z': load.size = 0; break;
    case 'l': load.size = 1 << 20; break;
    case 'n': memset (load.name, 'x', sizeof load.name); break;
    }
  snprintf (path, sizeof path, "jit-%d.dump", (int)getpid ());
  int fd = open (path, O_RDWR | O_CREAT, 0600);
  if (write (fd, &header, sizeof header) < 0 || write (fd, &other, sizeof other) < 0
      || write (fd, &load, sizeof load) < 0)
    return 1;
  mmap (NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  ((void (*) (void (*) (void)))jit) (leaf);
  return 0;
}
END
  "${CC:-cc}" -O1 -w -o dumps dumps.c
  local how
  for how in right magic header zero long name; do
    start ./dumps $how
    stacks "$pid"
    [[ $output == *" leaf+"*" main+"* ]] || report
    if [ $how = right ]; then
      [[ $output == *" dumped+0x6 [JIT]"* ]] || report
    else
      [[ $output != *"[JIT]"* ]] || report
    fi
  done
}

# libdw writes to the headers of what it decompresses.
@test "debug information may be compressed" {
  needs_x86_64_compiler
  cat >packed.c <<'END'
#include <stdio.h>
#include <unistd.h>
void bare (void);
void wait_here (void) { puts ("ready"); fflush (stdout); for (;;) pause (); }
__asm__ (".globl bare\n.type bare, @function\nbare:\nsub $24, %rsp\n"
         "call wait_here\nadd $24, %rsp\nret\n.size bare, .-bare\n");
int main (void) { bare (); return 0; }
END
  local option
  for option in -gz=none -gz; do
    "${CC:-cc}" -g $option -O1 -fno-optimize-sibling-calls -o packed packed.c
    start ./packed
    stacks -s "$pid"
    sed 's/0x[0-9a-f]* //; s/^Thread.*//' <<<"$output" >"shown$option"
  done
  readelf -SW packed | grep -q 'debug_info.* C ' || skip "nothing is compressed"
  grep -q 'packed.c:4$' shown-gz || report
  grep -q ' main+' shown-gz || report
  diff shown-gz=none shown-gz
}

# Go's CFI is of that kind.
@test "a frame pointer that CFI does not mention is not the caller's" {
  needs_x86_64_compiler
  cat >keeps.c <<'END'
#include <stdio.h>
#include <unistd.h>
void odd (void);
void wait_here (void) { puts ("ready"); fflush (stdout); for (;;) pause (); }
/* CFA = *(rsp + 16) + 8 */
__asm__ (".globl odd\n.type odd, @function\nodd:\n.cfi_startproc\n"
         "mov %rsp, %rax\npush %rax\npush %rbp\nmov %rsp, %rbp\nsub $8, %rsp\n"
         ".cfi_escape 0x0f, 5, 0x77, 16, 0x06, 0x23, 8\n"
         "call wait_here\nadd $8, %rsp\npop %rbp\npop %rax\n"
         ".cfi_def_cfa %rsp, 8\nret\n.cfi_endproc\n.size odd, .-odd\n");
__attribute__ ((noinline)) int keeps (void) { odd (); return 1; }
int main (void) { return keeps (); }
END
  "${CC:-cc}" -O1 -fno-omit-frame-pointer -o keeps keeps.c
  start ./keeps
  stacks "$pid"
  [[ $output == *" odd+"*" keeps+"*" [CFI]"*" main+"*"(the outermost frame)" ]] || report
}

@test "names of C++ and Rust are those of the source, unless they are not wanted" {
  "$stack" --help | grep -q -- --no-demangle
  local long
  long=$(long_name)
  named_program _ZN5shape4drawEid _ZN4core3fmt5write17h0123456789abcdefE \
    _RNvNtCs1_7mycrate3foo3bar _Z3 "$long"
  start ./named
  stacks --no-demangle "$pid"
  [[ $output == *" _ZN5shape4drawEid+0x"*" _ZN4core3fmt5write17h"*" $long+0x"* ]] \
    || report
  capture timeout 300 "$stack" "$pid"
  [ "$status" -eq 0 ] || report
  [[ $output == *" shape::draw(int, double)+0x"* ]] \
    || skip "built without libiberty"
  [[ $output == *" core::fmt::write+0x"*" mycrate::foo::bar+0x"* ]] || report
  [[ $output == *" _Z3+0x"*" f(void (*)(int), "* ]] || report
  [ "${#output}" -lt 4000 ] || report
}

# So the stacks of programs that a later linker has made are whole.
@test "an .sframe of a version of the future is made anew, as if there were none" {
  once waiting_program
  local offset
  "$CFI2SFRAME" -q waiting
  read -r offset _ < <(section waiting .sframe)
  poke waiting $((offset + 2)) 09
  start ./waiting
  gives 0 stacks "$pid"
  [[ $output == *" main+"*"(the outermost frame)"* ]] || report
}

@test "--only-sframe ends where a module was not converted" {
  once waiting_program
  start ./waiting
  gives 0 stacks --only-sframe "$pid"
  [ "$(grep -c '^  #' <<<"$output")" -eq 3 ] || report
  grep -q '^  (no SFrame data: libc.*: it has no .sframe)$' <<<"$output" || report
  # ... and compared with DWARF, that is a difference.
  gives 1 stacks --only-sframe --dwarf "$pid"
  grep -q '^D #1 ' <<<"$output" || report
  grep -q '^  DWARF: [0-9]* frames, different from #1 on$' <<<"$output" || report
}

# A program with a function in assembly without CFI, ./bare.
program_without_cfi ()
{
  cat >bare.c <<'END'
#include <stdio.h>
#include <unistd.h>
int through (int (*function) (void));
static int last (void) { puts ("ready"); fflush (stdout); for (;;) pause (); }
int main (void) { return through (last) + 1; }
END
  cat >bare-through.s <<'END'
	.globl	through
	.type	through, @function
through:
	push	%rbx
	push	%r12
	sub	$72, %rsp
	mov	%rdi, %rbx
	call	*%rbx
	add	$72, %rsp
	pop	%r12
	pop	%rbx
	ret
	.size	through, .-through
	.section .note.GNU-stack, "", @progbits
END
  needs_x86_64_compiler
  "${CC:-cc}" -O1 -o bare bare.c bare-through.s
}

@test "assembly without CFI is walked, whether or not --analyze is given" {
  once program_without_cfi
  start ./bare
  local option
  for option in --frames=99 --analyze; do
    stacks $option "$pid"
    [[ $output != *"cannot analyse"* ]] || skip "$output"
    [[ $output == *" through+0x"*" main+0x"*" _start+0x"*"(the outermost frame)"* ]] \
      || report
    run ! grep -F '[frame pointer]' <<<"$output"
  done
}

@test "code that a section has no rows for is analyzed, whether or not it was found" {
  once program_without_cfi
  convert -o own ./bare
  mkdir folder
  exits 0 --detached=folder ./bare
  local program option
  for program in ./own ./bare; do
    start $program
    for option in --frames=99 --analyze; do
      stacks -v --detached="$PWD/folder" $option "$pid"
      [[ $output != *"cannot analyse"* ]] || skip "$output"
      [[ $output == *" through+0x"*" main+0x"*" _start+0x"*"(the outermost frame)"* ]] \
        || report
    done
    grep -q "$program: .* bytes of SFrame data, \(its own\|detached\)\$" <<<"$stderr" || report
    stacks --detached="$PWD/folder" --only-sframe "$pid"
    run ! grep ' main+' <<<"$output"
  done
}

@test "code whose CFA no row can say is left by its CFI, which is said" {
  assembly_program
  convert --replace -o converted assembly
  local program
  for program in ./assembly ./converted; do
    start $program
    gives 0 stacks --dwarf "$pid"
    frames_in_order ' between\+' 'inner\+' \
      'by_rbx\+0x[0-9a-f]+ \([a-z]*\)' 'through_rbx\+0x[0-9a-f]+ \([a-z]*\) \[CFI\]' \
      'by_expression\+0x[0-9a-f]+ \([a-z]*\)' 'main\+0x[0-9a-f]+ \([a-z]*\) \[CFI\]'
    [[ $output == *"(the outermost frame)"*"DWARF: the same"* ]] || report
    [ "$(grep -c '\[CFI\]' <<<"$output")" -eq 2 ] || report
    # Others do not see it.
    stacks --only-sframe "$pid"
    run ! grep '\[CFI\]' <<<"$output"
  done
}

# CFI of clone3 ends at its system call.  The call here is pause, for which it
# waits there.
@test "who makes a thread is known by clone's code, and nobody by what lies on the stack" {
  needs_x86_64_compiler
  cat >ends.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
void makes (void), caller (void);
static void ready (void) { puts ("ready"); fflush (stdout); }
static void handler (int n) { (void)n; ready (); for (;;) pause (); }
#define BEGIN(name) ".type " #name ", @function\n" #name ":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " #name ", .-" #name "\n"
__asm__ (BEGIN (makes) "mov $34, %eax\n.cfi_endproc\n"
         "syscall\ntest %rax, %rax\njl 1f\nje .+3\nret\nxor %ebp, %ebp\npop %rax\npop %rdi\n"
         "call *%rax\n.fill 10, 1, 0x90\n1: ud2\n.size makes, .-makes\n");
/* No row can be made of unknown, which lies near small; what is lowest on its
   stack is the return address of a call of small that has returned.  */
__asm__ (BEGIN (caller) "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n"
         "mov %rsp, %rbp\n.cfi_def_cfa_register rbp\ncall deeper\nmov $-1, %rdi\ncall unknown\n"
         "leave\n.cfi_def_cfa rsp, 8\nret\n" END (caller)
         BEGIN (deeper) "call small\nret\n" END (deeper) BEGIN (small) "ret\n" END (small)
         "unknown: and %rdi, %rsp\nsub $8, %rsp\nud2\nadd $8, %rsp\nret\n");
/* jit calls deep, which calls framed; then it calls framed itself, whose
   lowest word then is the return address of the other call.  */
#define FRAME(size) "push %rbp\nmov %rsp, %rbp\nsub $" #size ", %rsp\n"
extern const char jit[], jit_end[];
__asm__ ("jit: " FRAME (0) "call deep\nmov $1, %edi\ncall framed\n"
         "framed: " FRAME (64) "test %edi, %edi\nje 1f\nud2\n1: leave\nret\n"
         "deep: " FRAME (56) "xor %edi, %edi\ncall framed\nleave\nret\njit_end:\n");
static void
stale (void)
{
  void *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy (page, jit, jit_end - jit);
  ((void (*) (void))page) ();
}
int
main (int argc, char **argv)
{
  signal (SIGILL, handler);
  switch (argv[argc - 1][0])
    {
    case 'm': ready (); makes (); break;
    case 'u': caller (); break;
    default: stale (); break;
    }
  return 0;
}
END
  "${CC:-cc}" -O1 -o ends ends.c
  start ./ends makes
  gives 0 stacks "$pid"
  frames_in_order ' makes\+' 'main\+[^#]* \[system call\]'
  gives 0 stacks --dwarf "$pid"
  [[ $output == *"(the outermost frame)"*"DWARF: the same"* ]] || report
  start ./ends unknown
  gives 0 stacks "$pid"
  [[ $output == *" unknown+"*" main+"* && $output != *" deeper+"* ]] || report
  start ./ends stale
  gives 0 stacks "$pid"
  [ "$(grep -c ' ?' <<<"$output")" -eq 2 ] || report
}

# As OpenSSL's AES-GCM: the CFA is in rax, which the ABI lets a callee change.
@test "a register that an interrupted callee may have changed leads on to what a call led to" {
  needs_x86_64_compiler
  cat >unsure.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int by_rax (void (*inner) (void));
void leaves (void), changes (void), calls (void);
static void handler (int n) { (void)n; puts ("ready"); fflush (stdout); for (;;) pause (); }
__asm__ (".cfi_sections .eh_frame\n"
         ".type by_rax, @function\nby_rax:\n.cfi_startproc\n"
         "mov %rsp, %rax\n.cfi_def_cfa_register rax\n"
         "sub $100, %rsp\nand $-64, %rsp\ncall *%rdi\n"
         "mov %rax, %rsp\n.cfi_def_cfa_register rsp\nret\n"
         ".cfi_endproc\n.size by_rax, .-by_rax\n"
         ".type leaves, @function\nleaves:\n.cfi_startproc\n"
         "ud2\nret\n.cfi_endproc\n.size leaves, .-leaves\n"
         ".type changes, @function\nchanges:\n.cfi_startproc\n"
         "lea changes(%rip), %rax\nud2\nret\n"
         ".cfi_endproc\n.size changes, .-changes\n"
         ".type calls, @function\ncalls:\n.cfi_startproc\n"
         "call leaves\nret\n.cfi_endproc\n.size calls, .-calls\n");
int
main (int argc, char **argv)
{
  signal (SIGILL, handler);
  return by_rax (argv[argc - 1][0] == 'l' ? leaves : argv[argc - 1][1] == 'h' ? changes : calls) + 1;
}
END
  "${CC:-cc}" -O1 -o unsure unsure.c
  local how
  for how in leaves changes calls; do
    start ./unsure $how
    gives 0 stacks --dwarf "$pid"
    if [ $how = leaves ]; then
      frames_in_order 'leaves\+' 'by_rax\+' 'main\+[^#]* \[CFI, guessed\]'
      [[ $output == *"(the outermost frame)"*"DWARF: the same"* ]] || report
    else
      grep -A 1 ' by_rax+' <<<"$output" | grep -q '^  (the row needs a register ' || report
    fi
  done
}

# bare_is HOW: the rows of ./bare, which runs as PID, are "converted", or "kept".
bare_is ()
{
  gives 0 stacks -v "$pid"
  [[ $output == *" through+0x"*" main+0x"*"(the outermost frame)"* ]] || report
  grep -q "/bare: .* bytes of SFrame data, $1\$" <<<"$stderr" || report
}

@test "rows from code are kept in the cache folder" {
  once program_without_cfi
  start ./bare
  stacks "$pid"
  [[ $output != *"cannot analyse"* ]] || skip "$output"
  export XDG_CACHE_HOME=$PWD/cache
  bare_is converted
  [ ! -e cache ]
  mkdir -m 700 cache
  bare_is converted
  local kept
  kept=$(find "$XDG_CACHE_HOME" -type f)
  [[ $(stat -c %a "${kept%/*}") == 700 && $kept == *.sframe && $kept != *$'\n'* ]]
  bare_is kept
  # What is damaged is made again.
  truncate -s 99 "$kept"
  bare_is converted
  bare_is kept
  # What somebody else can have put there is not read.
  chmod g+w "${kept%/*}"
  bare_is converted
  chmod g-w "${kept%/*}"
  mv "$kept" else
  ln -s "$PWD/else" "$kept"
  bare_is converted
  rm "$kept"
  bare_is converted
  bare_is kept
  if [ "$(id -u)" = 0 ]; then
    chown nobody "${kept%/*}"
    bare_is converted
    chown root "${kept%/*}"
    bare_is kept
    chown nobody "$kept"
    bare_is converted
  fi
}

@test "rows are kept for a file with the same bytes, by the same program" {
  once program_without_cfi
  mkdir -m 700 cache
  export XDG_CACHE_HOME=$PWD/cache
  start ./bare
  stacks "$pid"
  [[ $output != *"cannot analyse"* ]] || skip "$output"
  bare_is kept
  mkdir other
  cp bare other/bare
  start other/bare
  bare_is kept
  cp bare changed && echo >>changed && mkdir third && mv changed third/bare
  start third/bare
  bare_is converted
  bare_is kept
}

@test "the oldest kept rows are removed" {
  once program_without_cfi
  mkdir -m 700 cache cache/cfi2sframe
  export XDG_CACHE_HOME=$PWD/cache
  (
    cd cache/cfi2sframe
    truncate -s 60M young.sframe
    truncate -s 9M old.sframe other
    touch -d 2001-01-01 other
    touch -d 2002-02-02 old.sframe
  )
  start ./bare
  stacks "$pid"
  [[ $output != *"cannot analyse"* ]] || skip "$output"
  bare_is kept
  [ "$(cd cache/cfi2sframe && ls | sed 's/^[0-9a-f]*\.sframe/KEPT/' | tr '\n' ' ')" \
    = "KEPT other young.sframe " ]
}

@test "the C library of musl and Go are walked without --analyze" {
  local tried=
  if command -v musl-gcc >/dev/null; then
    tried+=musl
    cat >sorts.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int compare (const void *a, const void *b) { puts ("ready"); fflush (stdout); for (;;) pause (); return a < b; }
int main (void) { int n[] = { 3, 1, 2, 5 }; qsort (n, 4, sizeof *n, compare); return *n; }
END
    musl-gcc -O1 -static -o sorts sorts.c
    start ./sorts
    stacks "$pid"
    [[ $output != *"cannot analyse"* ]] || skip "$output"
    [[ $output == *" pause+0x"*" compare+0x"*"qsort"*" main+0x"* ]] || report
  fi
  if command -v go >/dev/null; then
    tried+=go
    cat >sorts.go <<'END'
package main

import ("fmt"; "os"; "sort")

//go:noinline
func spin() int { fmt.Println("ready"); n := 0; for { n++; if n == -5 { return n } } }
func main() {
	s := []int{3, 1, 2}
	sort.Slice(s, func(i, j int) bool { return spin() > 0 })
	os.Exit(s[0])
}
END
    HOME=$PWD GO111MODULE=off go build -ldflags -s -o gosorts sorts.go
    start_busy ./gosorts
    stacks "$pid"
    # main.spin, the comparison, three of sort's, main.main, runtime's two.
    [[ $output == *"#7 "* ]] || report
  fi
  [ -n "$tried" ] || skip "neither musl-gcc nor go (Debian: musl-tools, golang-go)"
}

# Nothing describes __restore_rt, nor where a thread of musl begins.
@test "signal handlers and threads of musl are walked to the outermost frame" {
  needs musl-gcc
  cat >handles.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
volatile int sink, *volatile nowhere;
static void handler (int n) { (void)n; puts ("ready"); fflush (stdout); for (;;) pause (); }
__attribute__ ((noinline)) static void reads (void) { sink = *nowhere; sink++; }
static void *in_thread (void *unused) { reads (); sink++; return unused; }
int
main (int argc, char **argv)
{
  pthread_t thread;
  signal (SIGSEGV, handler);
  if (argc > 1)
    pthread_create (&thread, NULL, in_thread, argv);
  else
    reads ();
  for (;;)
    pause ();
}
END
  local linked saves
  for linked in -static -g; do
    musl-gcc -O1 -fno-optimize-sibling-calls $linked -o handles handles.c
    start ./handles
    stacks "$pid"
    [[ $output != *"cannot analyse"* ]] || skip "$output"
    frames_in_order ' handler\+' '<signal handler called>' \
      'reads\+0x[0-9a-f]+ \(handles\) \[signal frame\]' 'main\+'
    [[ $output == *"_start+0x"*"(the outermost frame)" ]] || report
    # The label in front of __restore_rt is setjmp's.
    gives 0 capture "$stack" --json "$pid"
    [[ $output != *setjmp* ]] || report
    start ./handles thread
    stacks "$pid"
    frames_in_order ' handler\+' '<signal handler called>' \
      'reads\+0x[0-9a-f]+ \(handles\) \[signal frame\]' 'in_thread\+'
    # GCC 15 saves no registers in a function that never returns, such as
    # musl's start: nothing shows then where its frame is.
    [ $linked != -static ] || saves=$(objdump -d handles \
      | sed -n '/<start>:/,/^$/p' | grep -c 'push *%rbx') || true
    if [[ $saves -eq 0 && $output == *"(no row for this address: "* ]]; then
      frames_in_order 'in_thread\+' 'handles\+|start\+|libc\.so\+'
    else
      [ "$(grep -c '^  (the outermost frame)$' <<<"$output")" -eq 2 ] || report
    fi
  done
}

@test "where the kernel has a program begin is outermost, whether or not CFI says so" {
  needs_x86_64_compiler
  cat >begins.c <<'END'
#include <sys/syscall.h>
static void
call (long number, long a, long b, long c)
{
  __asm__ volatile ("syscall" : "+a" (number) : "D" (a), "S" (b), "d" (c)
                    : "rcx", "r11", "memory");
}
__attribute__ ((noinline)) static void
waits (void)
{
  call (SYS_write, 1, (long)"ready\n", 6);
  for (;;)
    call (SYS_pause, 0, 0, 0);
}
void begin (void) { waits (); __asm__ volatile (""); }
/* Behind the entry is a function without CFI that is none.  */
__asm__ (".globl _start, behind\n.type _start, @function\n.type behind, @function\n"
         "_start: xor %ebp, %ebp\ncmpq $1, (%rsp)\njne other\n"
         "call begin\nhlt\nother: call second\nhlt\n.size _start, .-_start\n"
         "behind: push %rbx\ncall begin\npop %rbx\nret\n.size behind, .-behind\n");
extern void behind (void);
void second (void) { behind (); __asm__ volatile (""); }
END
  "${CC:-cc}" -O1 -fno-optimize-sibling-calls -fno-stack-protector -static \
    -nostdlib -o begins begins.c
  start ./begins
  stacks "$pid"
  frames_in_order ' waits\+' 'begin\+' '_start\+'
  [[ $output == *" _start+0x"*"(the outermost frame)" ]] || report
  start ./begins second
  stacks "$pid"
  [[ $output != *"cannot analyse"* ]] || skip "$output"
  frames_in_order ' waits\+' 'begin\+' 'behind\+' 'second\+' '_start\+'
}

# A program that calls a function which it has written into memory, by which the
# function `inner' is called.
jit_program ()
{
  cat >jit.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static int inner (void) { puts ("ready"); fflush (stdout); for (;;) pause (); }
/* push %rbp; mov %rsp,%rbp; a return address without a call, as interpreters
   make them: lea 1f(%rip),%rax; push %rax; push %rbp; mov %rsp,%rbp;
   call *%rdi; pop %rbp; ret; 1: pop %rbp; ret */
static const unsigned char code[]
    = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x05, 9, 0, 0, 0, 0x50, 0x55, 0x48,
        0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3, 0x5d, 0xc3 };
int
main (int argc, char **argv)
{
  /* Private, shared, or a memfd.  */
  char name[64], kind = argc > 1 ? argv[1][0] : 'p';
  int fd = kind == 'm' ? memfd_create ("doublemapper", 0) : -1;
  if (fd >= 0 && ftruncate (fd, 4096) != 0)
    return 1;
  void *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                     (kind == 'p' ? MAP_PRIVATE : MAP_SHARED)
                         | (fd < 0 ? MAP_ANONYMOUS : 0),
                     fd, 0);
  memcpy (page, code, sizeof code);
  snprintf (name, sizeof name, "perf-%d.map", (int)getpid ());
  FILE *map = fopen (name, "w");
  fprintf (map, "%lx 16 the old function\n%lx 16 the function\n",
           (long)page, (long)page);
  fclose (map);
  return ((int (*) (int (*) (void)))page) (inner) + 1;
}
END
  "${CC:-cc}" -O1 -o jit jit.c
}

@test "code in no file is left by the frame pointer, and named by perf's map" {
  needs_x86_64_compiler
  jit_program
  start ./jit
  local wanted=' inner\+0x[^#]*#[0-9]+ +0x[0-9a-f]+ NAME'
  wanted+='[^#]*#[0-9]+ +0x[0-9a-f]+ [^#]* \[frame pointer\]'
  wanted+='[^#]*#[0-9]+ +0x[0-9a-f]+ main\+0x[0-9a-f]+ \(jit\) \[frame pointer\]'
  wanted+='.*the outermost frame'
  stacks "$pid"
  [[ $output =~ ${wanted/NAME/'[?]'} ]] || report
  # A file of another user, a huge one, a fifo and none do not count.
  local map=/tmp/perf-$pid.map
  cp "perf-$pid.map" "$map"
  truncate -s 257M "$map"
  stacks "$pid"
  rm "$map"
  [[ $output =~ ${wanted/NAME/'[?]'} ]] || report
  mkfifo "$map"
  stacks "$pid"
  rm "$map"
  [[ $output =~ ${wanted/NAME/'[?]'} ]] || report
  cp "perf-$pid.map" "$map"
  stacks "$pid"
  if [ "$(id -u)" -eq 0 ]; then
    chown nobody "$map"
    gives 0 stacks "$pid"
    [[ $output =~ ${wanted/NAME/'[?]'} ]] || { rm "$map"; report; }
    chown root "$map"
    stacks "$pid"
  fi
  rm "$map"
  [[ $output =~ ${wanted/NAME/'the function[+]0x12 [[]JIT[]]'} ]] || report
  # Its memory may have a name, but is none of a file.
  local kind
  for kind in shared memfd; do
    start ./jit $kind
    mv "perf-$pid.map" /tmp
    gives 0 stacks "$pid"
    rm "/tmp/perf-$pid.map"
    [[ $output =~ ${wanted/NAME/'the function[+]0x12 [[]JIT[]]'} ]] || report
  done
  # Other readers end there.
  stacks --only-sframe "$pid"
  run ! grep -E 'JIT|frame pointer' <<<"$output"
}

@test "code that was copied to large pages is its file's, in cores, too" {
  cat >copied.c <<'END'
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__ ((noinline)) static void waits (void) { puts ("ready"); fflush (stdout); for (;;) pause (); }
__attribute__ ((noinline)) static int works (int n) { waits (); return n + 1; }
static void
copy_code (void)
{
  char line[512];
  uintptr_t start, end;
  FILE *maps = fopen ("/proc/self/maps", "r");
  while (fgets (line, sizeof line, maps))
    if (strstr (line, "r-xp") && strstr (line, "/copied"))
      break;
  fclose (maps);
  sscanf (line, "%lx-%lx", &start, &end);
  void *copy = mmap (NULL, end - start, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy (copy, (void *)start, end - start);
  mremap (copy, end - start, end - start, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start);
}
int main (void) { copy_code (); return works (2) + 1; }
END
  # Without a segment of its own for code, what is behind the code is a mapping
  # of the same page of the file.
  for layout in separate-code noseparate-code; do
    mkdir "$layout"
    "${CC:-cc}" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls \
      -Wl,-z,"$layout" -o "$layout"/copied copied.c
    start ./"$layout"/copied
    run ! grep ' r-xp .*/copied' /proc/"$pid"/maps
    gives 0 stacks "$pid"
    frames_in_order ' waits\+0x[0-9a-f]+ \(copied\)' 'works\+0x[0-9a-f]+ \(copied\)' 'main\+'
    [[ $output == *"_start+0x"*"(the outermost frame)" ]] || report
    gcore -o core "$pid" >/dev/null 2>&1 || skip "no gcore (Debian: gdb)"
    gives 0 stacks core."$pid" ./"$layout"/copied
    frames_in_order ' waits\+0x[0-9a-f]+ \(copied\)' 'works\+0x[0-9a-f]+ \(copied\)' 'main\+'
  done
}

@test "what lies between two mappings of a file is not the file's" {
  once between_program
  local how
  for how in n r x l m; do
    start ./between $how
    gives 0 stacks "$pid"
    kill "$pid"
    [[ $output =~ 'leaf+0x'[0-9a-f]+' (between)'.*' my_jit_function+0x6 [JIT]'.*' main+0x'[0-9a-f]+' (between) [frame pointer]'.*' __libc_start_'.*'outermost frame' ]] \
      || report
  done
}

@test "converted programs are walked by the rows they have, in every format" {
  once waiting_program
  mkdir lib
  local libc
  libc=$(ldd waiting | sed -n 's/.*libc\.so\.6 => \([^ ]*\) .*/\1/p')
  [ -n "$libc" ] || skip "the C library has another name here"
  local format
  for format in 3 2 1; do
    convert --replace --format=$format -o lib/libc.so.6 "$libc"
    convert --replace --format=$format -o converted waiting
    start env LD_LIBRARY_PATH="$PWD/lib" ./converted
    gives 0 stacks --only-sframe -v "$pid"
    [ "$(grep -c ' deeper+' <<<"$output")" -eq 25 ] || report
    [ "$(grep -c 'bytes of SFrame data, its own$' <<<"$stderr")" -eq 2 ] || report
    if [ $format = 3 ]; then
      [ "$(grep -c '^  (the outermost frame)$' <<<"$output")" -eq 3 ] || report
    fi
  done
}

@test "wrong rows are noticed by --dwarf, and what is wrong is named" {
  needs python3
  once waiting_program
  # So that there are rules of the frame pointer.
  "${CC:-cc}" -O1 -fno-optimize-sibling-calls -fno-omit-frame-pointer \
    -pthread -o waiting waiting.c
  "$CFI2SFRAME" -q --no-share -o unshared waiting
  local fault
  for fault in cfa-offset fp-sign; do
    python3 "$srcdir/tests/prove/wrong_rows.py" unshared $fault $fault
    start ./$fault
    gives 1 stacks --dwarf "$pid"
    grep -q '^D #' <<<"$output" || report
  done
  grep -qE '^  DWARF: .* different from #[0-9]+ on: the frame pointer$' \
    <<<"$output" || report
}

@test "a program whose main thread has ended is walked" {
  cat >gone.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *
work (void *unused)
{
  puts ("ready");
  fflush (stdout);
  for (;;)
    pause ();
  return unused;
}
int
main (void)
{
  pthread_t thread;
  pthread_create (&thread, NULL, work, NULL);
  pthread_exit (NULL);
}
END
  "${CC:-cc}" -O1 -pthread -o gone gone.c
  start ./gone
  [ "$(state_of "$pid")" = Z ]
  gives 0 stacks "$pid"
  [ "$(grep -c '^Thread' <<<"$output")" -eq 1 ] || report
  [[ $output == *" work+0x"*"(the outermost frame)" ]] || report
  goes_on "$pid"
}

@test "core files: the same frames as of the living process" {
  once waiting_program
  needs gdb
  start ./waiting
  stacks "$pid"
  sed 's/^Thread [0-9]* .*/Thread/' <<<"$output" | LC_ALL=C sort >living
  gdb -q -batch -p "$pid" -ex 'generate-core-file core.file' >log 2>&1 </dev/null
  [ -s core.file ] || { cat log; skip "gdb wrote no core file"; }
  kill -9 "$pid"
  gives 0 stacks --dwarf core.file
  [ "$(grep -c '^  DWARF: the same ' <<<"$output")" -eq 3 ] || report
  [ "$(grep -c ' deeper+' <<<"$output")" -eq 25 ] || report
  grep -A 20 ' handler+' <<<"$output" | grep -q ' thread_signal+' || report
  # The program has another name now: it has to be named.
  mv waiting elsewhere
  stacks core.file elsewhere
  [ "$(grep -c ' deeper+' <<<"$output")" -eq 25 ] || report
  # What is cut off is not there; what is there is shown.
  local cut
  for cut in 64 1000 5000 100000; do
    head -c $cut core.file >cut
    stacks cut elsewhere
    [ "$status" -le 1 ] || report
  done
  [ "$stderr" = "sframe-stack: cut: it was cut off, and no threads are left in it" ] \
    || report
  # As if there had been more memory behind what the first header has (gdb
  # writes the notes, in which the threads are, to the end of the file).
  cp core.file cut
  printf '\377\377\377\177' | dd of=cut bs=1 seek=152 conv=notrunc status=none
  gives 0 stacks cut elsewhere
  [[ $stderr == "sframe-stack: the core was cut off: "*" bytes are missing" ]] \
    || report
  stacks core.file elsewhere
  [ -z "$stderr" ] || report
  local packer whole=$output
  for packer in zstd xz lz4 gzip; do
    command -v $packer >/dev/null || continue
    $packer -1 -c core.file >packed
    gives 0 stacks packed elsewhere
    [ "$output" = "$whole" ] || report
    head -c $(($(stat -c %s packed) / 2)) packed >cut
    gives 1 stacks cut elsewhere
    [[ $stderr == *"sframe-stack: cut: $packer cannot decompress it, or there is no space" ]] \
      || report
    capture env PATH=/nowhere "$stack" packed elsewhere
    [ "$stderr" = "sframe-stack: packed: it is compressed, and $packer is not installed" ] \
      || report
  done
}

# The limit was to be half of the free space, which only root may set if it is
# higher than the one that is there.
@test "compressed cores are read by users whose files have a limit, too" {
  needs setpriv
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  # Such a user may not enter our folder, nor perhaps the one of the build.
  exec {program}<"$stack" {core}<"$srcdir/tests/data/core/data.gz"
  ulimit -f 100000
  TMPDIR=/var/tmp gives 0 capture \
    setpriv --reuid=65534 --regid=65534 --clear-groups \
    "/proc/self/fd/$program" "/proc/self/fd/$core"
}

@test "a core with a mass of segments in no order is gone through at once" {
  python3 - <<'END' || skip "no python3"
import struct
n = 100000
header = bytearray(64)
header[:7] = b'\x7fELF\x02\x01\x01'
struct.pack_into('<HHIQQQIHHHHHH', header, 16, 4, 62, 1, 0, 128, 64, 0, 64, 56,
                 0xffff, 64, 1, 0)
section = struct.pack('<IIQQQQIIQQ', 0, 0, 0, 0, 0, 0, 0, n, 0, 0)
open('core', 'wb').write(bytes(header) + section + b''.join(
    struct.pack('<IIQQQQQQ', 1, 4, 128, 0x100000000000 - i * 4096, 0, 64, 4096,
                4096) for i in range(n)))
END
  capture timeout 300 "$stack" core
  [ "$status" -eq 1 ] || report
  [ "$stderr" = "sframe-stack: core: no threads in it" ] || report
}

@test "the program's file may be gone, replaced, or have a strange name" {
  once waiting_program
  local name=$'odd\e[31m\nname'
  mv waiting "$name"
  start "./$name"
  rm "$name"
  gives 0 stacks "$pid"
  [ "$(grep -c '^  (the outermost frame)$' <<<"$output")" -eq 3 ] || report
  [ "$(grep -c '^  #' <<<"$output")" -ge 40 ] || report
  [[ $output != *$'\e'* ]] || report
  ! grep '^name' <<<"$output" || report
}

@test "of a large file only what a walk meets comes into memory" {
  needs python3
  cat >large.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__ ((used)) static const char large[64 << 20] = { 1 };
__attribute__ ((noinline)) static void within (void) { for (;;) pause (); }
int main (void) { puts ("ready"); fflush (stdout); within (); return 0; }
END
  "${CC:-cc}" -O1 -fno-optimize-sibling-calls -o large large.c
  start ./large
  # Its name is no more: the kernel hands it out all the same.
  rm large
  stacks "$pid"
  [[ $output == *within*main* && $output == *"(the outermost frame)"* ]] || report
  run python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$stack" "$pid"
  [ "$status" -eq 0 ] && [ "$output" -lt 40000 ] || report
}

@test "a process that was stopped stays so, and one that runs goes on" {
  once waiting_program
  start ./waiting
  kill -STOP "$pid"
  within_a_minute eval '[ "$(state_of "$pid")" = T ]'
  gives 0 stacks "$pid"
  [ "$(grep -c ' deeper+' <<<"$output")" -eq 25 ] || report
  [ "$(state_of "$pid")" = T ]
  kill -CONT "$pid"
  within_a_minute eval '[ "$(state_of "$pid")" != T ]'
  goes_on "$pid"
}

@test "a thread that cannot be stopped holds up nobody" {
  cat >forks.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *waits (void *unused) { for (;;) pause (); return unused; }
int
main (void)
{
  pthread_t other;
  pthread_create (&other, NULL, waits, NULL);
  puts ("ready");
  fflush (stdout);
  /* Until the child executes something, this waits in the kernel.  */
  if (vfork () == 0)
    {
      for (;;)
        pause ();
    }
  return 0;
}
END
  "${CC:-cc}" -O1 -pthread -o forks forks.c
  start ./forks
  local state
  state=$(state_of "$pid")
  [ "$state" = D ] || skip "vfork does not wait like that here"
  # The thread waits for ever: who waited for it would never come back.
  children+=("$(pgrep -P "$pid")")
  capture timeout 300 "$stack" -v "$pid"
  [ "$status" -eq 0 ] || report
  [[ $output == *"(not stopped: it waits in the kernel)"*" waits+0x"*"(the outermost frame)"* ]] \
    || report
  [ "$(state_of "$pid")" = D ]
  [ "$(sed -n 's/^TracerPid:\t//p' "/proc/$pid/status")" = 0 ]
  gives 0 stacks -t "$pid" "$pid"
  # Elsewhere the kernel does not tell the register with the return address.
  [ "$(uname -m)" = x86_64 ] || return 0
  gives 0 stacks --dwarf -t "$pid" "$pid"
  [[ $output == *vfork+0x*" main+0x"*"(the outermost frame)"*"DWARF: the same"* ]] || report
  # Of musl's vfork, which has the return address in a register, too, no CFI
  # says so.
  if command -v musl-gcc >/dev/null; then
    musl-gcc -O1 -o forks forks.c
    start ./forks
    children+=("$(pgrep -P "$pid")")
    gives 0 stacks -t "$pid" "$pid"
    frames_in_order ' vfork\+' 'main\+[^#]* \[system call\]'
    [[ $output == *"(the outermost frame)" ]] || report
  fi
}

@test "killed at any moment it leaves the process running" {
  once waiting_program
  start ./waiting
  stacks "$pid"
  local i victim
  for i in $(seq 60); do
    "$stack" "$pid" >/dev/null 2>&1 3>&- &
    victim=$!
    sleep "0.00$((RANDOM % 10))$((RANDOM % 10))"
    kill -9 "$victim" 2>/dev/null || true
    wait "$victim" 2>/dev/null || true
  done
  # The kernel lets it go on when it has taken the tracer away.
  within_a_minute goes_on "$pid"
  gives 0 stacks --dwarf "$pid"
  goes_on "$pid"
}

# Of a real-time signal each one counts.  One of some thirty stops comes with a
# signal on its way.
@test "signals that come meanwhile are not lost" {
  cat >signals.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t taken;
static void handler (int n) { (void)n; taken++; }
int
main (void)
{
  volatile int *sent = mmap (NULL, sizeof *sent, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  signal (SIGRTMIN, handler);
  puts ("ready");
  fflush (stdout);
  pid_t parent = getpid (), child = fork ();
  for (int i = 0; child == 0 && i < 500000; i++)
    *sent += sigqueue (parent, SIGRTMIN, (union sigval){ 0 }) == 0;
  if (child == 0)
    _exit (0);
  while (waitpid (child, NULL, WNOHANG) != child)
    ;
  printf ("%d of %d\n", taken, *sent);
  return taken != *sent || taken < 1000;
}
END
  "${CC:-cc}" -O1 -D_GNU_SOURCE -o signals signals.c
  ./signals >counts 2>&1 3>&- &
  pid=$!
  children+=("$pid")
  while kill -0 "$pid" 2>/dev/null; do
    stacks "$pid"
  done
  wait "$pid" || { cat counts; return 1; }
}

@test "what cannot be walked is refused in one line" {
  capture "$stack"
  [ "$status" -eq 2 ] || report
  capture "$stack" -n 0 1
  [ "$status" -eq 2 ] || report
  capture "$stack" 1 2
  [ "$status" -eq 2 ] || report
  echo text >text
  local one
  for one in 2147483647 missing text /bin/true . /dev/null; do
    gives 1 stacks "$one"
    [ -z "$output" ] || report
    [ "${#stderr_lines[@]}" -eq 1 ] || report
    [[ $stderr == "sframe-stack: "?*": "?* ]] || report
  done
  stacks /bin/true </dev/null
  [[ $stderr == "sframe-stack: /bin/true: not a core file" ]] || report
  stacks missing
  [[ $stderr == "sframe-stack: missing: cannot open: No such file or directory" ]] || report
}

# zombie_is_named [COMMAND...]: sframe-stack, by that command, tells of a zombie.
zombie_is_named ()
{
  # Its parent has become another program before it ends: a shell would ask for its
  # exit status.
  "$@" sh -c 'while ! grep -q sleep /proc/$$/comm; do :; done & echo $!; exec sleep 1000' \
    >zombie 3>&- &
  children+=("$!")
  within_a_minute eval '[ "$(state_of "$(cat zombie)")" = Z ]'
  gives 1 capture "$@" "$stack" "$(cat zombie)"
  [ "$stderr" = "sframe-stack: process $(cat zombie): it has ended, and its parent has not asked for its exit status (a zombie)" ] \
    || report
}

# The files of a zombie in /proc belong to root.
@test "a zombie is told by whoever is not root, too" {
  local user=()
  if [ "$(id -u)" -eq 0 ]; then
    needs setpriv
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  fi
  # Such a user may not enter our folder, nor perhaps the one of the build.
  exec {program}<"$stack"
  stack=/proc/self/fd/$program
  zombie_is_named "${user[@]}"
}

@test "who cannot be walked is said to be a zombie, or traced by whom" {
  zombie_is_named
  needs gdb
  once waiting_program
  start ./waiting
  gdb -q -batch -p "$pid" -ex 'shell touch traced; sleep 1000' >log 2>&1 </dev/null 3>&- &
  children+=("$!")
  within_a_minute test -e traced || skip "gdb cannot trace"
  gives 1 stacks "$pid"
  [ "$stderr" = "sframe-stack: process $pid: it is traced already, by process $(sed -n 's/^TracerPid:[^0-9]*//p' /proc/"$pid"/status)" ] \
    || report
}

@test "a thread that another process traces is named, and the others are walked" {
  needs_strace
  once waiting_program
  start ./waiting
  local tid
  tid=$(find /proc/"$pid"/task -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -1)
  strace -qq -e trace=none -o /dev/null -p "$tid" 3>&- &
  children+=("$!")
  within_a_minute grep -q "^TracerPid:.*$!" /proc/"$tid"/status || skip "strace may not attach"
  gives 0 stacks "$pid"
  [ "$(grep -c '^Thread' <<<"$output")" -eq 3 ] || report
  [ "$(grep -A1 "^Thread $tid" <<<"$output" | tail -1)" = "  (not stopped: process $! traces it)" ] \
    || report
  gives 0 stacks --json "$pid"
  [[ $output == *"{\"threads\":[{\"tid\":$tid,\"name\":\"waiting\"}],\"frames\":[],\"end\":null}"* ]] \
    || report
}

@test "a thread may have any name" {
  cat >named.c <<'END'
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int
main (void)
{
  prctl (PR_SET_NAME, "a\n(b) c\n");
  puts ("ready");
  fflush (stdout);
  for (;;)
    pause ();
}
END
  "${CC:-cc}" -o named named.c
  start ./named
  gives 0 stacks "$pid"
  [ "${lines[0]}" = "Thread $pid \"a\\x0a(b) c\\x0a\":" ] || report
  gives 0 stacks --json "$pid"
  [[ $output == *'"name":"a\\x0a(b) c\\x0a"'* ]] || report
}

@test "libdw is in front of libdwarf, which has functions of the same names" {
  needs readelf
  local program
  for program in "$stack" "$(dirname "$stack")/sframe-profile"; do
    [ -e "$program" ] || continue
    readelf -dW "$program" | sed -n 's/.*NEEDED.*\[\(libdwa*r*f*\)\..*/\1/p' >order
    [ "$(tr '\n' ' ' <order)" = "libdw libdwarf " ] || { cat order; return 1; }
  done
}

# A program that waits for ever, from ./waits, made with OPTION; its number is
# in $pid and the last one in $children.
start_waiting ()
{
  cat >waits.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main (void) { puts ("ready"); fflush (stdout); for (;;) pause (); }
END
  "${CC:-cc}" -g "$@" -o waits waits.c
  [ "$*" != -static ] || "$CFI2SFRAME" waits
  start ./waits
}

# It was opened, and waited for somebody who writes.
@test "a fifo that has the name of a deleted program, or of a debug file" {
  start_waiting
  rm waits
  mkfifo "waits (deleted)"
  timeout 300 "$stack" "${children[0]}" >out || { echo "status $?"; return 1; }
  grep -q '#0' out
  timeout 300 "$stack" --dwarf "${children[0]}" >out || [ $? -ne 124 ]
  # Beside one that is there.
  start_waiting
  mkfifo waits.debug
  timeout 300 "$stack" "${children[1]}" >out || { echo "status $?"; return 1; }
  grep -q main out
}

# The section would be read from behind the file's end.
@test "a core file whose program has an SFrame segment that is not in it" {
  needs gcore
  needs python3
  start_waiting -static
  gcore -o core "${children[0]}" >/dev/null 2>&1 || skip "no core"
  cp waits good
  stacks --only-sframe core."${children[0]}"
  [[ $output == *main* && $output != *"waits: it has no .sframe"* ]] || report
  local where
  for where in "0 1" "size 0x1000" "0xfffffffffffff000 0x2000" "0x10 0xffffffffffffffff"; do
    python3 - $where <<'END'
import struct, sys
data = bytearray(open('good', 'rb').read())
e_phoff, = struct.unpack_from('<Q', data, 32)
e_phnum, = struct.unpack_from('<H', data, 56)
for at in range(e_phoff, e_phoff + 56 * e_phnum, 56):
    p_type, = struct.unpack_from('<I', data, at)
    p_offset, = struct.unpack_from('<Q', data, at + 8)
    if p_type == 0x6474e554:
        offset, size = sys.argv[1:]
        if offset == "0":  # one byte more than the file has
            offset, size = p_offset, len(data) - p_offset + int(size)
        elif offset == "size":
            offset, size = len(data), int(size, 0)
        else:
            offset, size = int(offset, 0), int(size, 0)
        struct.pack_into('<Q', data, at + 8, offset)
        struct.pack_into('<Q', data, at + 32, size)
open('bad', 'wb').write(data)
END
    mv bad waits
    stacks --only-sframe core."${children[0]}"
    # No file that anybody could read is the one that was mapped.
    [[ $output == *"(no SFrame data: waits: its file was not found)" ]] || report
  done
}

# It would be opened, and waited for somebody who writes.
@test "a core file with a library that is a fifo by now" {
  needs gcore
  cat >library.c <<'END'
#include <unistd.h>
void wait_here (void) { for (;;) pause (); }
END
  cat >program.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main (int n, char **names)
{
  void (*wait_here) (void) = (void (*) (void)) dlsym (dlopen (names[1], RTLD_NOW), "wait_here");
  puts ("ready"); fflush (stdout);
  wait_here ();
  return n;
}
END
  "${CC:-cc}" -shared -fPIC -g -o real.so library.c
  "${CC:-cc}" -g -o program program.c -ldl
  ./program "$PWD/real.so" >said 3>&- &
  pid=$!
  timeout 300 sh -c 'until grep -q ready said; do sleep 0.1; done'
  gcore -o core "$pid" >/dev/null 2>&1 || gone=yes
  kill "$pid"
  [ -z "${gone-}" ] || skip "no core"
  timeout 300 "$stack" core."$pid" >out
  grep -q 'wait_here.* (real.so)' out
  rm real.so
  mkfifo real.so
  run timeout 300 "$stack" core."$pid"
  [ "$status" -eq 0 ] || { echo "$status: $output"; return 1; }
  [[ $output != *wait_here* && $output == *"pause+"* ]] || { echo "$output"; return 1; }
}

@test "a core file whose program is a fifo by now" {
  needs gcore
  start_waiting
  gcore -o core "${children[0]}" >/dev/null 2>&1 || skip "no core"
  rm waits
  mkfifo waits
  run timeout 300 "$stack" core."${children[0]}"
  [ "$status" -eq 0 ] || { echo "$status: $output"; return 1; }
  [[ $output != *" main+"* && $output == *" #0 "* ]] || { echo "$output"; return 1; }
}

# grow-down moves the code in the file, not in memory.  The names were those of
# other functions.
@test "a core file whose program was converted, or undone, since" {
  needs gcore
  start_waiting -static -no-pie -Wl,--build-id
  gcore -o core "$pid" >/dev/null 2>&1 || skip "no core"
  gives 0 stacks core."$pid"
  [[ $output == *" main+"*"(the outermost frame)"* ]] || report
  local before=$output
  gives 0 capture "$CFI2SFRAME" -v waits
  [[ $output == *", grow-down, "* ]] || report
  gives 0 stacks core."$pid"
  [ "$output" = "$before" ] || report
  start ./waits
  gcore -o core "$pid" >/dev/null 2>&1 || skip "no core"
  "$CFI2SFRAME" --undo waits
  gives 0 stacks core."$pid"
  [[ $output == *" main+"*"(the outermost frame)"* ]] || report
}

@test "a core's program that is gone is had from debuginfod's servers" {
  needs gcore
  needs readelf
  start_waiting -Wl,--build-id
  DEBUGINFOD_URLS=http://127.0.0.1:1 capture "$stack" --debuginfod "$pid"
  [[ $stderr != *"no libdebuginfod"* ]] || skip "no libdebuginfod"
  gcore -o core "$pid" >/dev/null 2>&1 || skip "no core"
  local id
  id=$(readelf -nW waits | sed -n 's/.*Build ID: //p')
  mkdir -p served/buildid/"$id"
  mv waits served/buildid/"$id"/executable
  stacks core."$pid"
  [[ $output != *" main+"* && $output == *"(no SFrame data: waits: its file was not found)"* ]] || report
  export DEBUGINFOD_URLS=file://$PWD/served/ DEBUGINFOD_CACHE_PATH=$PWD/cache
  gives 0 stacks core."$pid"
  [[ $output == *" main+"*"(the outermost frame)"* ]] || report
  # A server that has another file there.
  rm -r cache
  "${CC:-cc}" -g -O2 -Wl,--build-id -o served/buildid/"$id"/executable waits.c
  stacks core."$pid"
  [[ $output != *" main+"* ]] || report
}

# What is opened later got their numbers, and what is printed went into it.
@test "closed standard descriptors are occupied, by sframe-profile, too" {
  needs_strace
  local program
  for program in "$stack" "$profile"; do
    strace -f -o calls -e trace=open,openat \
      sh -c 'exec "$0" --help <&- >&- 2>&-' "$program" || true
    [ "$(grep -c 'openat(.*"/", O_.*O_PATH.* = [012]$' calls)" -eq 3 ] \
      || { cat calls; return 1; }
  done
}

# A library maps it, libdw.  memory.c cuts the file off at an allocation.
@test "a debug file that is cut off while it is read is named" {
  needs objcopy
  needs_failing_allocations
  local i at all told=0
  {
    printf 'int puts (const char *);\nint fflush (void *);\nint pause (void);\n'
    printf 'void f0 (void) { puts ("ready"); fflush (0); for (;;) pause (); }\n'
    for ((i = 1; i <= 60; i++)); do
      printf 'void f%d (void) { f%d (); __asm__ (""); }\n' $i $((i - 1))
    done
    printf 'int main (void) { f60 (); return 0; }\n'
  } >waits.c
  "${CC:-cc}" -g3 -O1 -fno-optimize-sibling-calls -o waits waits.c
  objcopy --only-keep-debug waits waits.debug
  objcopy --strip-all --add-gnu-debuglink=waits.debug waits
  cp waits.debug whole
  start ./waits
  FAULT_COUNT=$PWD/all LD_PRELOAD=$PWD/memory.so "$stack" -s "$pid" >output
  grep -q 'waits.c:4$' output || { cat output; false; }
  all=$(cat all)
  for ((at = 1; at <= all; at += all / 20)); do
    cp whole waits.debug
    FAULT_AT=$at FAULT_CUT=0 FAULT_FILE=waits.debug LD_PRELOAD=$PWD/memory.so \
      capture "$stack" -s "$pid"
    [ "$status" -ne 0 ] || continue
    [ "$status" -eq 1 ] || report
    [ "$stderr" = "sframe-stack: $PWD/waits.debug shrank while it was read" ] || report
    told=$((told + 1))
  done
  [ $told -ge 1 ] || { echo "never noticed"; false; }
}

# What the kernel and the C library call registers differs between machines.
@test "what reads registers compiles for all machines" {
  local machine file
  for machine in aarch64 s390x; do
    needs $machine-linux-gnu-gcc
    for file in stacks/live stacks/live_stop stacks/perf_sampler walk/here; do
      "$machine-linux-gnu-gcc" -std=gnu17 -Wall -Wextra -Werror -fsyntax-only \
        -DHAVE_CONFIG_H -I"$builddir" -I"$srcdir" -I"$srcdir/include" -I"$srcdir/src" \
        -idirafter /usr/include "$srcdir/$file.c"
    done
  done
}
