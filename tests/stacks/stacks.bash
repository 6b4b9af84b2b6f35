# What the tests of sframe-stack and sframe-profile share.  Loaded after helpers.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash

# The programs are in $stack and $profile.
setup_stacks ()
{
  own_folder || return 1
  stack=$builddir/stacks/sframe-stack
  profile=$builddir/stacks/sframe-profile
}

setup ()
{
  setup_stacks
  needs_stack_programs
}

# The files in `map' would be taken for those of later processes with these numbers.
teardown ()
{
  end_children
  [ ! -e map ] || xargs rm -f <map
}

needs_stack_programs ()
{
  [ -x "$stack" ] || skip "built without libdw"
}

# Make memory.so, which has allocations fail.
needs_failing_allocations ()
{
  ! grep -q __asan_init "$stack" || skip "AddressSanitizer has its own malloc"
  printf '#include <stdlib.h>\n#ifndef __GLIBC__\n#error\n#endif\n' >glibc.c
  "${CC:-cc}" -c glibc.c 2>/dev/null || skip "only glibc has its malloc under another name"
  "${CC:-cc}" -shared -fPIC -O1 -o memory.so "$srcdir/tests/faults/memory.c"
}

# says_what_is_missing PATTERN COMMAND...: each third allocation fails, one at a
# time.  What matches PATTERN in the output is as without that, or the exit
# status is 1.  libdw has allocations of its own, for names.
says_what_is_missing ()
{
  local at all told=0 pattern=$1
  shift
  FAULT_COUNT=$PWD/all LD_PRELOAD=$PWD/memory.so "$@" >whole
  all=$(cat all)
  for ((at = 1; at <= all; at += 3)); do
    FAULT_AT=$at LD_PRELOAD=$PWD/memory.so capture "$@"
    case $status in
      0) diff <(grep -o "$pattern" whole) <(grep -o "$pattern" <<<"$output") \
        || { echo "allocation $at of $all"; return 1; } ;;
      1) [[ $stderr != *"memory ran out: a part of the output is missing" ]] \
        || told=$((told + 1)) ;;
      70) ;; # libdwarf's code crashed
      *) report ;;
    esac
  done
  [ $told -ge 3 ] || { echo "told $told times of $all"; return 1; }
}

# Wait until all threads of process $1 wait in the kernel, where they stay.
let_settle ()
{
  within_a_minute eval '! grep -q "^State:.R" /proc/'"$1"'/task/*/status'
}

# Start a program that says "ready"; its number is in $pid.  Whatever it does then,
# it is not waited for.
start_busy ()
{
  # Descriptor 3 is bats's own.
  "$@" >ready 2>&1 3>&- &
  pid=$!
  children+=("$pid")
  within_a_minute grep -q ready ready
}

# The same of a program that waits for ever when it has said so.
start ()
{
  start_busy "$@"
  let_settle "$pid"
  kill -0 "$pid"
}

# ended_by_term PID: a child of this shell ends by the signal.
ended_by_term ()
{
  kill -TERM "$1"
  status=0
  wait "$1" || status=$?
  [ "$status" -eq 143 ] || report
}

# A program that maps a file again, and calls `leaf' from code of a just-in-time
# compiler, which lies between the program and that mapping:
#   ./between HOW [SECONDS]
# HOW: n nothing is mapped again; r, x: the program's file, to be read or
# executed; l, m: libc, likewise.  Without SECONDS leaf waits.  What the code is
# called is in a file, whose name comes to `map'.
between_program ()
{
  needs_x86_64_compiler
  cat >between.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static double limit;
static volatile unsigned sink;
/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[]
    = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
static void
leaf (void)
{
  struct timespec now = { 0 };
  puts ("ready");
  fflush (stdout);
  if (limit == 0)
    for (;;)
      pause ();
  for (; now.tv_sec + now.tv_nsec * 1e-9 < limit;
       clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now))
    for (int i = 0; i < 100000; i++)
      sink += i;
}
static int
find_libc (struct dl_phdr_info *info, size_t size, void *path)
{
  (void)size;
  if (strstr (info->dlpi_name, "libc.so") != NULL)
    strcpy (path, info->dlpi_name);
  return 0;
}
int
main (int argc, char **argv)
{
  char path[4096] = "/proc/self/exe", name[64];
  char how = argv[1][0];
  limit = argc > 2 ? atof (argv[2]) : 0;
  if (how == 'l' || how == 'm')
    dl_iterate_phdr (find_libc, path);
  int fd = open (path, O_RDONLY);
  int may = how == 'x' || how == 'm' ? PROT_READ | PROT_EXEC : PROT_READ;
  if (how != 'n'
      && mmap (NULL, 1 << 16, may, MAP_PRIVATE, fd, 0x1000) == MAP_FAILED)
    return 1;
  char *page = mmap ((void *)0x700000000000, 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy (page, code, sizeof code);
  mprotect (page, 4096, PROT_READ | PROT_EXEC);
  snprintf (name, sizeof name, "/tmp/perf-%d.map", (int)getpid ());
  FILE *map = fopen (name, "w");
  fprintf (map, "%lx 10 my_jit_function\n", (long)page);
  fclose (map);
  FILE *left = fopen ("map", "a");
  fprintf (left, "%s\n", name);
  fclose (left);
  ((void (*) (void (*) (void)))page) (leaf);
  return 0;
}
END
  "${CC:-cc}" -g -O1 -fno-optimize-sibling-calls -o between between.c
}

# A program whose innermost function waits, or with an argument is busy for so
# many seconds of processor time, below two functions in assembly whose CFA no
# row can say: ./assembly.
assembly_program ()
{
  needs_x86_64_compiler
  cat >assembly.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int by_expression (int (*function) (void)), by_rbx (int (*function) (void));
static double seconds;
volatile unsigned sink;
__attribute__ ((noipa)) int
wait_here (int a, int b)
{
  puts ("ready");
  fflush (stdout);
  while (seconds == 0)
    pause ();
  while (clock () < seconds * CLOCKS_PER_SEC)
    for (int i = 0; i < 100000; i++)
      sink += i;
  return a + b;
}
/* Has values in registers that its caller needs.  */
__attribute__ ((noipa)) int between (int n) { int a = wait_here (n, 1); return a + wait_here (n, a); }
static int inner (void) { return between (1) + 1; }
static int through_rbx (void) { return by_rbx (inner) + 1; }
int
main (int n, char **arguments)
{
  seconds = n > 1 ? atof (arguments[1]) : 0;
  return by_expression (through_rbx) + 1 == 0;
}
END
  # As OpenSSL's functions, whose frames are aligned and have the caller's SP in
  # them, and as the dynamic linker's _dl_runtime_resolve.
  cat >assembly-functions.s <<'END'
	.globl	by_expression
	.type	by_expression, @function
by_expression:
	.cfi_startproc
	mov	%rsp, %rax
	.cfi_def_cfa_register rax
	push	%rbx
	.cfi_offset rbx, -16
	push	%rbp
	.cfi_offset rbp, -24
	sub	$80, %rsp
	and	$-64, %rsp
	mov	%rax, 40(%rsp)
	.cfi_escape 0x0f, 5, 0x77, 40, 0x06, 0x23, 8
	xor	%ebx, %ebx
	xor	%ebp, %ebp
	call	*%rdi
	mov	40(%rsp), %rsi
	.cfi_def_cfa rsi, 8
	mov	-16(%rsi), %rbp
	.cfi_restore rbp
	mov	-8(%rsi), %rbx
	.cfi_restore rbx
	lea	(%rsi), %rsp
	.cfi_def_cfa_register rsp
	ret
	.cfi_endproc
	.size	by_expression, .-by_expression
	.globl	by_rbx
	.type	by_rbx, @function
by_rbx:
	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	mov	%rsp, %rbx
	.cfi_def_cfa_register rbx
	and	$-64, %rsp
	sub	$640, %rsp
	call	*%rdi
	mov	%rbx, %rsp
	.cfi_def_cfa_register rsp
	pop	%rbx
	.cfi_restore rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	by_rbx, .-by_rbx
	.section .note.GNU-stack, "", @progbits
END
  "${CC:-cc}" -O1 -fomit-frame-pointer -o assembly assembly.c \
    assembly-functions.s
}

# frames_in_order PATTERN...: the walk that was shown has these frames, one
# behind the other.
frames_in_order ()
{
  local wanted=$1 pattern
  shift
  for pattern; do
    wanted+="[^#]*#[0-9]+ +0x[0-9a-f]+ $pattern"
  done
  [[ $output =~ $wanted ]] || report
}
