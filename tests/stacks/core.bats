#!/usr/bin/env bats
# sframe-stack: core files that the kernel wrote, in which no code is.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load stacks

# The test asks the kernel for cores: core_pattern(5) must not be a program,
# nor another folder.
needs_kernel_cores ()
{
  local pattern
  pattern=$(cat /proc/sys/kernel/core_pattern)
  case $pattern in
    */* | *\|*) skip "core_pattern is $pattern" ;;
  esac
  ulimit -c unlimited 2>/dev/null || skip "no cores are permitted"
}

# dump COMMAND...: run it until it crashes, or until it says "ready"; its core
# is in ./core.
dump ()
{
  rm -rf dump core
  mkdir dump
  (cd dump && exec "$@" >ready 2>&1 3>&-) &
  pid=$!
  local tries=0
  # One that is not ready within a minute is dumped as it is.
  while kill -0 "$pid" 2>/dev/null; do
    ! grep -q ready dump/ready && [ $((tries += 1)) -lt 3000 ] \
      || kill -ABRT "$pid" 2>/dev/null || true # it may have crashed meanwhile
    sleep 0.02
  done
  wait "$pid" || true
  mv dump/core* core || skip "the kernel wrote no core"
}

# frames PATTERN...: the walk that was shown has these frames, one behind the
# other, and ends at the outermost one.
frames ()
{
  frames_in_order "$@"
  [[ $output == *"(the outermost frame)"* ]] || report
}

@test "code that is not in a core comes from the program's file" {
  local called
  gzip -dc "$srcdir/tests/data/core/wild.gz" >wild
  for called in null data; do
    gives 0 capture \
      "$stack" "$srcdir/tests/data/core/$called.gz" wild
    frames ' #0 +0x[0-9a-f]+ ' 'caller\+0xd \(wild\) \[guessed\]' \
      'between\+0x9 \(wild\)' 'start\+0x1d \(wild\)' '_start\+0xe \(wild\)'
  done
}

# "0x0 is in no file" alone does not tell that the program was rebuilt since.
@test "a program that is missing or another one is named where a guess needs it" {
  rm -rf other && mkdir other && cd other
  gives 0 capture "$stack" "$srcdir/tests/data/core/null.gz"
  [[ $output == *"(no SFrame data: 0x0 is in no file; wild: its file was not found)"* ]] || report
}

# Which files are named depended on the threads that had been shown before, and
# a memfd with code of a just-in-time compiler was called a file that is no ELF.
@test "a missing file is named for stacks that may have gone on in it alone" {
  [[ $(uname -m) = x86_64 || $(uname -m) = aarch64 ]] || skip "its code is for x86-64 and aarch64"
  needs_kernel_cores
  cat >gone.c <<'END'
__attribute__ ((noipa)) int call (int (*data) (void)) { return data () + 1; }
END
  cat >ends.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
extern int call (int (*) (void));
static volatile char runs[2]; /* the code of a thread has stored 1 */
static void *generated (void *flag)
{
#if defined __x86_64__
  /* xor %ebp,%ebp; movb $1,(%rdi); jmp . */
  static const unsigned char code[] = { 0x31, 0xed, 0xc6, 0x07, 0x01, 0xeb, 0xfe };
#else
  /* mov x29,xzr; mov x30,xzr; mov w1,1; strb w1,[x0]; b . */
  static const unsigned code[] = { 0xaa1f03fd, 0xaa1f03fe, 0x52800021, 0x39000001, 0x14000000 };
#endif
  int fd = flag == runs ? memfd_create ("generated", 0) : -1;
  if (fd >= 0 && ftruncate (fd, 4096) != 0) return NULL;
  void *to = mmap (NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                   fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
  memcpy (to, code, sizeof code);
  __builtin___clear_cache (to, (char *)to + 4096);
  ((void (*) (void *))to) (flag);
  return NULL;
}
int main (void)
{
  pthread_t thread;
  pthread_create (&thread, NULL, generated, (void *)&runs[0]);
  pthread_create (&thread, NULL, generated, (void *)&runs[1]);
  while (!runs[0] || !runs[1]) usleep (1000);
  return call ((int (*) (void))stdout);
}
END
  "${CC:-cc}" -O1 -shared -fPIC -o libgone.so gone.c
  "${CC:-cc}" -O1 -pthread -o ends ends.c "$PWD/libgone.so"
  dump "$PWD/ends"
  mv libgone.so elsewhere
  gives 0 capture "$stack" core
  grep -Ec '^  \(no SFrame data: 0x[0-9a-f]+ is in no file\)$' <<<"$output" >plain
  [ "$(cat plain)" = 2 ] || report
  grep -E '^  \(no row for this address: libc\.so\.6\+0x[0-9a-f]+; libgone\.so: its file was not found\)$' \
    <<<"$output" || report
}

@test "of cores that the kernel wrote, too, who called no code is guessed" {
  needs_kernel_cores
  wild_program
  local address
  for address in 0 0x123456789000; do
    dump "$PWD/wild" $address
    gives 0 capture "$stack" core
    frames " #0 +$(printf '0x%016x' $address) \?" \
      'caller\+0x[0-9a-f]+ \(wild\) \[guessed\]' 'main\+0x[0-9a-f]+ \(wild\)'
    dump "$PWD/wild" $address handle
    gives 0 capture "$stack" core
    frames ' handler\+' '[^#]*' "\?" \
      'caller\+0x[0-9a-f]+ \(wild\) \[guessed\]' 'main\+0x[0-9a-f]+ \(wild\)'
  done
}

# Behind the name in the core is " (deleted)".
@test "a program that was replaced before it crashed is found when it is back" {
  needs_kernel_cores
  cat >replaced.c <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__ ((noipa)) int outer (int n) { sleep (2); puts ("ready"); fflush (stdout); for (;;) pause (); return n; }
int main (int n, char **arguments) { return rename ("../other", arguments[0]) + outer (n) + WHICH; }
END
  "${CC:-cc}" -O1 -Wl,--build-id -DWHICH=1 -o replaced replaced.c
  "${CC:-cc}" -O1 -Wl,--build-id -DWHICH=2 -o other replaced.c
  cp replaced kept
  dump "$PWD/replaced"
  capture "$stack" core
  [[ $output != *outer* ]] || report
  [[ $output == *"replaced (deleted): its file was not found"* ]] || report
  mv kept replaced
  gives 0 capture "$stack" core
  frames 'outer\+' 'main\+0x[0-9a-f]+ \(replaced \(deleted\)\)'
  # A core without the page that tells: what has the name now is another file.
  "${CC:-cc}" -O1 -Wl,--build-id -DWHICH=2 -o other replaced.c
  dump sh -c 'echo 0x23 >/proc/self/coredump_filter && exec "$1"' sh "$PWD/replaced"
  capture "$stack" core
  [[ $output == *"replaced (deleted): its file was not found"* ]] || report
  # Without build-ids, two builds whose first pages are the same: the frame of
  # outer had the size of the other one's, and main was missing.
  sed -i 's/{ sleep/{ char volatile room[WHICH * 32]; room[n] = 1; sleep/' replaced.c
  "${CC:-cc}" -O1 -Wl,--build-id=none -DWHICH=1 -o replaced replaced.c
  "${CC:-cc}" -O1 -Wl,--build-id=none -DWHICH=2 -o other replaced.c
  cmp -n 4096 replaced other
  dump "$PWD/replaced"
  capture "$stack" core
  [[ $output == *"replaced (deleted): its file was not found"* ]] || report
}

@test "of cores that the kernel wrote, code is left by its CFI, too" {
  needs_kernel_cores
  assembly_program
  dump "$PWD/assembly"
  gives 0 capture "$stack" core
  frames ' between\+' 'inner\+' 'by_rbx\+' 'through_rbx\+.* \[CFI\]' \
    'by_expression\+' 'main\+.* \[CFI\]'
}

# qemu writes no pages with headers, by which programs are found as a rule.
# libdw writes the sizes that compressed sections have in full to their headers.
@test "of cores, too, debug information may be compressed" {
  needs_kernel_cores
  local i
  {
    printf '#include <stdlib.h>\nvoid bare (void);\nvoid ends (void) { abort (); }\n'
    for ((i = 0; i < 600; i++)); do
      printf 'int filler_%d (int first, int second) { return first * second; }\n' $i
    done
    printf '__asm__ (".globl bare\\n.type bare, @function\\nbare:\\nsub $24, %%rsp\\n"\n'
    printf '"call ends\\nadd $24, %%rsp\\nret\\n.size bare, .-bare\\n");\n'
    printf 'int main (void) { bare (); return 0; }\n'
  } >packed.c
  "${CC:-cc}" -g -gz -O1 -fno-optimize-sibling-calls -o packed packed.c
  dump "$PWD/packed"
  gives 0 capture "$stack" core
  frames 'ends\+' 'bare\+0x9 \(packed\)' 'main\+0x[0-9a-f]+ \(packed\)'
  [[ $output == *"(the outermost frame)" ]] || report
}

@test "cores of other machines, by qemu, are walked through signal handlers" {
  needs_kernel_cores
  cat >handles.c <<'END'
#include <signal.h>
#include <stdlib.h>
volatile int sink, *volatile nowhere;
static void handler (int n) { (void)n; abort (); }
__attribute__ ((noinline)) static void leaf (void) { sink = *nowhere; sink++; }
__attribute__ ((noinline)) static void caller (void) { leaf (); sink++; }
int main (void) { signal (SIGSEGV, handler); caller (); return 0; }
END
  local machine tried=
  for machine in aarch64 s390x; do
    command -v qemu-$machine >/dev/null || continue
    $machine-linux-gnu-gcc -O2 -static -o handles handles.c || continue
    rm -f qemu_*.core
    qemu-$machine ./handles >log 2>&1 || true
    rm -f core*
    mv qemu_*.core core || skip "qemu wrote no core"
    gives 0 capture "$stack" core handles
    # qemu 11 has a vDSO of its own, where handlers of aarch64 return to, and
    # leaves its bytes out: nothing shows that it is a signal's frame.
    [[ $output != *"[vdso]+"* ]] || continue
    tried+=$machine
    frames ' handler\+' '<signal handler called>' 'leaf\+[^#]* \[signal frame\]' \
      'caller\+' 'main\+'
  done
  [ -n "$tried" ] || skip "no qemu that writes whole cores, or no cross compilers"
}

# A wrong name was ignored, and of a core that ends in its program headers it was
# said that it has no threads.
@test "a program that cannot be read, and a core that is cut off, are told" {
  local size
  gzip -dc "$srcdir/tests/data/core/null.gz" >core
  gives 1 capture "$stack" core missing
  [ "$stderr" = "sframe-stack: core: missing: cannot open: No such file or directory" ] \
    || report
  for size in 64 65 300; do
    head -c $size core >cut
    gives 1 capture "$stack" cut
    [ "$stderr" = "sframe-stack: cut: it was cut off, and no threads are left in it" ] \
      || report
  done
}

# The caller of `leaf', which FP says nothing of, was missing.
@test "on aarch64 a function without a frame does not hide its caller" {
  needs_kernel_cores
  needs qemu-aarch64
  needs aarch64-linux-gnu-gcc
  cat >leaf.c <<'END'
#include <stddef.h>
int leaf (int *p), framed (int (*f) (int *));
int returns;
__attribute__ ((noipa)) int inner (int *p) { return returns ? 0 : leaf (p) + 1; }
__attribute__ ((noipa)) int outer (void) { return framed (inner) + 1; }
int main (int n, char **v) { (void)v; returns = n > 1; return outer (); }
END
  cat >leaf.s <<'END'
	.globl leaf, framed
	.type leaf, %function
leaf:	sub sp, sp, #32
	mov x9, #1
	ldr w0, [x0]
	add sp, sp, #32
	ret
	.size leaf, .-leaf
	.type framed, %function
framed:	stp x29, x30, [sp, #-32]!
	mov x29, sp
	mov x9, x0
	mov x0, #0
	blr x9
	ldr w0, [x0]
	ldp x29, x30, [sp], #32
	ret
	.size framed, .-framed
	.section .note.GNU-stack,"",%progbits
END
  aarch64-linux-gnu-gcc -static -O1 -fno-omit-frame-pointer \
    -fno-asynchronous-unwind-tables -fno-unwind-tables -o leaf leaf.c leaf.s
  # The same with another symbol where it goes on, which is no function.
  sed '/^\tblr x9/a framed_slow: nop' leaf.s | grep -v size >slow.s
  aarch64-linux-gnu-gcc -static -O1 -fno-omit-frame-pointer \
    -fno-asynchronous-unwind-tables -fno-unwind-tables -o slow leaf.c slow.s
  # No code of a file of this size is analyzed.
  truncate -s 26M leaf slow
  # The second time `framed' has called something, so that an address of its
  # own is in the register for return addresses.
  local arguments
  for arguments in leaf "leaf returns" "slow returns"; do
    rm -f qemu_*.core
    # shellcheck disable=SC2086
    qemu-aarch64 ./$arguments >log 2>&1 || true
    rm -f core*
    mv qemu_*.core core || skip "qemu wrote no core"
    gives 0 capture "$stack" core "${arguments% *}"
    case $arguments in
      leaf) frames ' #0 [^#]* leaf\+' 'inner\+' 'framed\+' 'outer\+' 'main\+' ;;
      leaf*) frames ' #0 [^#]* framed\+' 'outer\+' 'main\+' ;;
      slow*) frames ' #0 [^#]* framed_slow\+' 'outer\+' 'main\+' ;;
    esac
  done
}

# It went on, and filled half of the disk.
@test "what decompresses a core ends with sframe-stack" {
  local victim number
  mkdir bin
  printf '#!/bin/sh\necho $$ >number\nexec sleep 300\n' >bin/zstd
  chmod +x bin/zstd
  printf '\x28\xb5\x2f\xfd  ' >core
  PATH=$PWD/bin:$PATH "$stack" core 3>&- &
  victim=$!
  within_a_minute test -s number
  number=$(cat number)
  children+=("$number")
  ended_by_term "$victim"
  within_a_minute has_ended "$number"
}

# Frames were missing, and the exit status was 0.
@test "memory that runs out is told, and no frame is missing without a word" {
  needs_failing_allocations
  gzip -dc "$srcdir/tests/data/core/wild.gz" >wild
  gzip -dc "$srcdir/tests/data/core/null.gz" >core
  says_what_is_missing '0x[0-9a-f]\{16\}' "$stack" core wild
}

# Each thread's stack was compared with those of all groups.
@test "a core of very many threads with stacks of their own is grouped at once" {
  python3 - <<'END'
from struct import pack, pack_into
THREADS = 200000
notes = bytearray()
for thread in range(THREADS):
    status = bytearray(336)
    pack_into("<I", status, 32, thread + 1)
    pack_into("<Q", status, 112 + 8 * 16, 4096 + thread)
    notes += pack("<III8s", 5, len(status), 1, b"CORE") + status
with open("many", "wb") as core:
    core.write(b"\x7fELF\2\1\1" + bytes(9)
               + pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
               + pack("<IIQQQQQQ", 4, 0, 120, 0, 0, len(notes), 0, 4) + notes)
END
  ulimit -S -t 60
  "$stack" --group many >shown
  [ "$(grep -c '^Thread [0-9]*:$' shown)" -eq 200000 ]
}
