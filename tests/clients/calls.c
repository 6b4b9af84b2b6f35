/* calls CASE: stacks as C programs make them, each looked at by here_check.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#include <alloca.h>
#include <argp.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <error.h>
#include <ftw.h>
#include <glob.h>
#include <link.h>
#include <printf.h>
#include <pthread.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "here.h"
#include "plugin.h"

#define NOINLINE __attribute__ ((noinline, noclone))
#define COUNT(array) (sizeof (array) / sizeof *(array))

enum
{
  DEEP = 400,
  ALTERNATE_STACK = 1 << 20 /* the walks keep nothing large on the stack */
};

static volatile int sink;
static volatile int zero;

/* Frames of several shapes.  */

static NOINLINE int
recurse (int depth)
{
  if (depth == 0)
    {
      here_check ();
      return 1;
    }
  return recurse (depth - 1) + depth;
}

static NOINLINE int recurse_dynamic (int depth);

/* A frame of unknown size: the frame pointer is needed.  */
static NOINLINE int
dynamic (int depth)
{
  char *space = alloca ((size_t)depth * 8 + 8);
  memset (space, depth, 8);
  return recurse_dynamic (depth - 1) + space[sink & 7];
}

static NOINLINE int
recurse_dynamic (int depth)
{
  if (depth <= 0)
    {
      here_check ();
      return 1;
    }
  return (depth % 2 ? dynamic (depth) : recurse_dynamic (depth - 1)) + depth;
}

CASE (shallow)
{
  here_step ();
  sink += recurse (3);
}

CASE (deep) { sink += recurse (DEEP); }

CASE (alloca)
{
  here_step ();
  sink += recurse_dynamic (30);
}

static NOINLINE int
variable_length (size_t n)
{
  volatile char array[n];
  array[n / 2] = (char)n;
  here_check ();
  return array[n / 2] + recurse (2);
}

CASE (variable_length)
{
  for (size_t n = 1; n < 5000; n *= 3)
    sink += variable_length (n);
}

/* A realigned stack with arguments on the old one (DRAP).  */
static NOINLINE int
realigned (int a, int b, int c, int d, int e, int f, int g, size_t size)
{
  char aligned[64] __attribute__ ((aligned (64)));
  volatile char *space = alloca (size);
  memset (aligned, a + b + c + d, sizeof aligned);
  space[size / 2] = (char)(e + f + g);
  here_check ();
  return recurse (2) + aligned[sink & 63] + space[size / 2];
}

static NOINLINE int
realigned_fixed (int a)
{
  char aligned[64] __attribute__ ((aligned (64)));
  memset (aligned, a, sizeof aligned);
  here_check ();
  return recurse (1) + aligned[sink & 63];
}

CASE (realigned) { sink += realigned (1, 2, 3, 4, 5, 6, 7, 100); }

CASE (realigned_fixed) { sink += realigned_fixed (1); }

static NOINLINE int
large (int depth)
{
  volatile char space[200000];
  space[depth] = 1;
  if (depth > 0)
    return large (depth - 1) + space[depth];
  here_check ();
  return space[depth];
}

CASE (large_frame) { sink += large (5); }

static NOINLINE int
tail (int n)
{
  if (n == 0)
    return recurse (2);
  return tail (n - 1);
}

CASE (tail_call) { sink += tail (5); }

/* A trampoline on the stack, when it is passed on.  */
CASE (nested_function)
{
  int local = zero;
  void nested (void)
  {
    local++;
    here_check ();
  }
  sink += plugin_call (nested, 3) + local;
}

/* Signals.  */

static void
on_signal (int number)
{
  (void)number;
  here_check ();
}

static void
on_signal_raise (int number)
{
  if (number == SIGUSR1)
    raise (SIGUSR2);
  else
    here_check ();
}

static void
handle (int number, void (*handler) (int), int flags)
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
  sigaction (number, &action, NULL);
}

CASE (signal)
{
  handle (SIGUSR1, on_signal, 0);
  here_step ();
  raise (SIGUSR1);
}

CASE (signal_nested)
{
  handle (SIGUSR1, on_signal_raise, 0);
  handle (SIGUSR2, on_signal_raise, 0);
  raise (SIGUSR1);
}

static void
on_signal_deep (int number)
{
  static int depth;
  if (depth++ < 5)
    raise (number);
  sink += recurse (3);
}

CASE (signal_reentered)
{
  handle (SIGUSR1, on_signal_deep, SA_NODEFER);
  raise (SIGUSR1);
}

static void
take_alternate_stack (void)
{
  stack_t stack
      = { .ss_sp = malloc (ALTERNATE_STACK), .ss_size = ALTERNATE_STACK };
  sigaltstack (&stack, NULL);
}

CASE (signal_alternate_stack)
{
  take_alternate_stack ();
  handle (SIGUSR1, on_signal, SA_ONSTACK);
  raise (SIGUSR1);
}

CASE (signal_alternate_nested)
{
  take_alternate_stack ();
  handle (SIGUSR1, on_signal_raise, SA_ONSTACK);
  handle (SIGUSR2, on_signal_raise, SA_ONSTACK);
  raise (SIGUSR1);
}

CASE (signal_siginfo)
{
  handle (SIGRTMIN, on_signal, 0);
  sigqueue (getpid (), SIGRTMIN, (union sigval){ 0 });
}

/* At random places of code with frames of every shape.  */
CASE (signal_timer)
{
  struct itimerval often = { { 0, 300 }, { 0, 300 } };
  struct timespec start, now;
  handle (SIGALRM, on_signal, SA_RESTART);
  clock_gettime (CLOCK_MONOTONIC, &start);
  setitimer (ITIMER_REAL, &often, NULL);
  do
    {
      char text[100];
      snprintf (text, sizeof text, "%d %g %s", sink, sink / 3.0, "text");
      free (strdup (text));
      sink += realigned_fixed (zero);
      sink += recurse_dynamic (7);
      clock_gettime (CLOCK_MONOTONIC, &now);
    }
  while (now.tv_sec - start.tv_sec < 2);
  setitimer (ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}

static NOINLINE int
read_through (const volatile int *pointer)
{
  return *pointer + 1;
}

CASE (segv)
{
  here_catch (SIGSEGV);
  sink = read_through ((int *)8) + 1;
}

CASE (segv_alternate_stack)
{
  take_alternate_stack ();
  handle (SIGSEGV, here_last_signal, SA_ONSTACK);
  sink = read_through ((int *)8) + 1;
}

static NOINLINE int
overflow (int depth)
{
  volatile char space[1000];
  space[depth % 1000] = 1;
  if (depth == -1)
    return 0;
  return overflow (depth + 1) + space[depth % 1000];
}

CASE (stack_overflow)
{
  take_alternate_stack ();
  handle (SIGSEGV, here_last_signal, SA_ONSTACK);
  sink += overflow (0);
}

CASE (segv_in_libc)
{
  here_catch (SIGSEGV);
  sink = (int)strlen ((const char *)(uintptr_t)(zero + 8));
}

CASE (bus_error)
{
  FILE *file = tmpfile ();
  here_catch (SIGBUS);
  volatile char *page
      = mmap (NULL, 4096, PROT_READ, MAP_SHARED, fileno (file), 0);
  sink = page[10];
}

CASE (divide_by_zero)
{
  here_catch (SIGFPE);
  sink = 1 / zero;
}

CASE (trap)
{
  here_catch (SIGILL);
  __builtin_trap ();
}

/* Calls that never return.  */

static NOINLINE void
give_up (int depth)
{
  if (depth == zero)
    abort ();
  give_up (depth - 1);
}

CASE (abort)
{
  here_catch (SIGABRT);
  give_up (3);
}

CASE (assert)
{
  extern void __assert_fail (const char *, const char *, unsigned,
                             const char *) __attribute__ ((noreturn));
  here_catch (SIGABRT);
  __assert_fail ("0", "calls.c", 1, "case_assert");
}

static NOINLINE void
smash (void)
{
  extern void __stack_chk_fail (void) __attribute__ ((noreturn));
  __stack_chk_fail ();
}

CASE (stack_protector)
{
  here_catch (SIGABRT);
  smash ();
}

CASE (double_free)
{
  void *memory = malloc (24);
  void *volatile again = memory;
  here_catch (SIGABRT);
  free (memory);
  free (again);
}

/* Cold, so that the compiler puts it apart and lets it end in the call.  */
static NOINLINE int
mostly (int x)
{
  if (__builtin_expect (x == 0, 0))
    {
      recurse (1);
      give_up (1);
    }
  return x;
}

CASE (abort_cold)
{
  here_catch (SIGABRT);
  sink += mostly (zero);
}

static NOINLINE int
mostly_dynamic (int x)
{
  volatile char *space = alloca ((size_t)x + 10);
  space[x] = 1;
  if (__builtin_expect (x == 0, 0))
    abort ();
  return space[x];
}

CASE (abort_dynamic)
{
  here_catch (SIGABRT);
  sink += mostly_dynamic (zero);
}

static NOINLINE void
leave_by_error (void)
{
  error (1, 0, "%s", "");
}

static void
at_exit_check (void)
{
  here_check ();
  _exit (0);
}

CASE (error_exits)
{
  fclose (stderr);
  atexit (at_exit_check);
  leave_by_error ();
}

static jmp_buf jump;

static NOINLINE void
jump_back (void)
{
  here_check ();
  longjmp (jump, 1);
}

CASE (longjmp)
{
  if (setjmp (jump) == 0)
    jump_back ();
  here_check ();
}

static void
on_signal_jump (int number)
{
  (void)number;
  here_check ();
  siglongjmp (jump, 1);
}

CASE (siglongjmp)
{
  handle (SIGUSR1, on_signal_jump, 0);
  if (sigsetjmp (jump, 1) == 0)
    raise (SIGUSR1);
  here_check ();
}

/* Callbacks.  */

static int
compare (const void *a, const void *b)
{
  here_check ();
  return *(const int *)a - *(const int *)b;
}

static int numbers[] = { 5, 3, 9, 1, 7, 2, 8 };

CASE (qsort)
{
  here_step ();
  qsort (numbers, COUNT (numbers), sizeof *numbers, compare);
}

static int
compare_with (const void *a, const void *b, void *argument)
{
  (void)argument;
  return compare (a, b);
}

CASE (qsort_large)
{
  /* Not sorted in place, at times.  */
  struct
  {
    int key;
    char rest[60];
  } *items = calloc (40, sizeof *items);
  for (int i = 0; i < 40; i++)
    items[i].key = i * 7919 % 40;
  qsort_r (items, 40, sizeof *items, compare_with, NULL);
}

CASE (bsearch)
{
  int key = 7;
  bsearch (&key, numbers, COUNT (numbers), sizeof *numbers, compare);
}

static void
visit (const void *node, VISIT which, int depth)
{
  (void)node;
  (void)which;
  (void)depth;
  here_check ();
}

CASE (tsearch)
{
  void *root = NULL;
  for (size_t i = 0; i < COUNT (numbers); i++)
    tsearch (&numbers[i], &root, compare);
  twalk (root, visit);
}

static int
visit_file (const char *path, const struct stat *status, int type,
            struct FTW *level)
{
  (void)path;
  (void)status;
  (void)type;
  (void)level;
  here_check ();
  return 0;
}

CASE (nftw) { nftw ("/etc/default", visit_file, 4, FTW_PHYS); }

static int
filter (const struct dirent *entry)
{
  (void)entry;
  here_check ();
  return 1;
}

CASE (scandir)
{
  struct dirent **list;
  scandir ("/", &list, filter, alphasort);
}

static int
on_glob_error (const char *path, int number)
{
  (void)path;
  (void)number;
  here_check ();
  return 0;
}

static void *
open_directory (const char *path)
{
  here_check ();
  if (strlen (path) > 1)
    {
      errno = EIO;
      return NULL;
    }
  return opendir (path);
}

static struct dirent *
read_directory (void *directory)
{
  here_check ();
  return readdir (directory);
}

static void
close_directory (void *directory)
{
  closedir (directory);
}

CASE (glob)
{
  glob_t found = { .gl_opendir = open_directory,
                   .gl_readdir = read_directory,
                   .gl_closedir = close_directory,
                   .gl_stat = stat,
                   .gl_lstat = lstat };
  glob ("/*/x*", GLOB_ALTDIRFUNC, on_glob_error, &found);
}

static int
visit_module (struct dl_phdr_info *info, size_t size, void *argument)
{
  (void)info;
  (void)size;
  (void)argument;
  here_check ();
  return 0;
}

CASE (dl_iterate_phdr) { dl_iterate_phdr (visit_module, NULL); }

static ssize_t
cookie_write (void *cookie, const char *text, size_t size)
{
  (void)cookie;
  (void)text;
  here_check ();
  return (ssize_t)size;
}

CASE (stdio_cookie)
{
  cookie_io_functions_t functions = { .write = cookie_write };
  FILE *file = fopencookie (NULL, "w", functions);
  fprintf (file, "%s %d %Lf", "text", sink, 1.5L);
  fclose (file);
}

static int
print_x (FILE *file, const struct printf_info *info, const void *const *values)
{
  (void)info;
  (void)values;
  here_check ();
  return fprintf (file, "x");
}

static int
print_x_size (const struct printf_info *info, size_t n, int *types, int *sizes)
{
  (void)info;
  (void)n;
  (void)types;
  (void)sizes;
  return 0;
}

CASE (printf_callback)
{
  char *text;
  /* With a variable, or the compiler knows better.  */
  const char *volatile format = "%d %Q %d\n";
  register_printf_specifier ('Q', print_x, print_x_size);
  sink += asprintf (&text, format, 1, 2, 3);
}

static error_t
parse_option (int key, char *argument, struct argp_state *state)
{
  (void)argument;
  (void)state;
  here_check ();
  return key == 'x' ? 0 : ARGP_ERR_UNKNOWN;
}

CASE (argp)
{
  char *arguments[] = { (char *)"calls", (char *)"-x", NULL };
  struct argp_option options[] = { { .key = 'x', .name = "x" }, { 0 } };
  struct argp argp = { .options = options, .parser = parse_option };
  argp_parse (&argp, 2, arguments, 0, NULL, NULL);
}

/* The end of the program.  */

static void
at_exit_stepped (void)
{
  here_step ();
  here_check ();
}

static void
at_exit (void)
{
  here_check ();
}

static void
on_exit_check (int status, void *argument)
{
  (void)status;
  (void)argument;
  here_check ();
}

CASE (atexit)
{
  atexit (at_exit_stepped);
  exit (0);
}

CASE (on_exit)
{
  on_exit (on_exit_check, NULL);
  at_quick_exit (at_exit);
  atexit (at_exit);
}

CASE (quick_exit)
{
  at_quick_exit (at_exit);
  quick_exit (0);
}

static bool looks_at_ends;

__attribute__ ((constructor)) static void
at_program_start (void)
{
  here_check ();
}

__attribute__ ((destructor)) static void
at_program_end (void)
{
  if (looks_at_ends)
    here_check ();
}

CASE (destructors) { looks_at_ends = true; }

static void
on_fork (void)
{
  here_check ();
}

CASE (fork)
{
  pthread_atfork (on_fork, on_fork, on_fork);
  pid_t child = fork ();
  if (child == 0)
    exit (recurse (2) == 0);
  waitpid (child, NULL, 0);
}

/* Libraries.  */

CASE (library) { sink += plugin_call (here_check, 5); }

/* The first call of each function goes through the loader's resolver.  */
CASE (first_calls)
{
  char text[] = "b a", *rest;
  here_step ();
  sink += (int)strtoul ("12", &rest, 10) + abs (sink) + (int)strlen (rest);
  strtok_r (text, " ", &rest);
  sink += plugin_call (here_check, 1);
  sink += ffs (sink) + rand ();
}

CASE (dlopen)
{
#ifdef PLUGIN_PATH
  static const int modes[] = { RTLD_LAZY, RTLD_NOW, RTLD_NOW | RTLD_GLOBAL };
  const char *path = getenv ("CLIENTS_PLUGIN");
  for (size_t i = 0; i < COUNT (modes); i++)
    {
      void *handle = dlopen (path != NULL ? path : PLUGIN_PATH, modes[i]);
      int (*call) (plugin_callback *, int)
          = handle != NULL ? dlsym (handle, "opened_call") : NULL;
      if (call == NULL)
        exit (9);
      sink += call (here_check, 3);
      dlclose (handle);
      here_check ();
    }
#else
  here_check ();
#endif
}

/* Threads.  */

static void *
in_thread (void *argument)
{
  sink += recurse (10);
  return argument;
}

static void
run_thread (void *(*body) (void *), bool cancels)
{
  pthread_t thread;
  void *result;
  pthread_create (&thread, NULL, body, NULL);
  if (cancels)
    {
      usleep (50000);
      pthread_cancel (thread);
    }
  pthread_join (thread, &result);
}

CASE (thread) { run_thread (in_thread, false); }

static void *
in_thread_often (void *argument)
{
  for (int i = 0; i < 200; i++)
    sink += recurse (i % 30);
  return argument;
}

CASE (threads)
{
  pthread_t threads[8];
  for (size_t i = 0; i < COUNT (threads); i++)
    pthread_create (&threads[i], NULL, in_thread_often, NULL);
  for (size_t i = 0; i < COUNT (threads); i++)
    pthread_join (threads[i], NULL);
}

static int
in_c_thread (void *argument)
{
  (void)argument;
  here_check ();
  return 0;
}

CASE (c_thread)
{
  thrd_t thread;
  thrd_create (&thread, in_c_thread, NULL);
  thrd_join (thread, NULL);
}

static void
clean_up (void *argument)
{
  (void)argument;
  here_check ();
}

static void *
in_thread_cancelled (void *argument)
{
  pthread_cleanup_push (clean_up, argument);
  for (;;)
    pause ();
  pthread_cleanup_pop (0);
  return argument;
}

CASE (cancel) { run_thread (in_thread_cancelled, true); }

static void *
in_thread_cancelled_asynchronously (void *argument)
{
  pthread_setcanceltype (PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push (clean_up, argument);
  for (;;)
    sink++;
  pthread_cleanup_pop (0);
  return argument;
}

CASE (cancel_asynchronously)
{
  run_thread (in_thread_cancelled_asynchronously, true);
}

static NOINLINE void
leave_thread (void *argument)
{
  pthread_cleanup_push (clean_up, argument);
  pthread_exit (NULL);
  pthread_cleanup_pop (0);
}

static void *
in_thread_left (void *argument)
{
  leave_thread (argument);
  return argument;
}

CASE (pthread_exit) { run_thread (in_thread_left, false); }

static pthread_key_t key;

static void *
in_thread_with_key (void *argument)
{
  pthread_setspecific (key, &key);
  return argument;
}

CASE (thread_data)
{
  pthread_key_create (&key, clean_up);
  run_thread (in_thread_with_key, false);
}

CASE (once)
{
  pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, here_check);
}

static void *
in_thread_signalled (void *argument)
{
  sem_t *ready = argument;
  sem_post (ready);
  for (;;)
    pause ();
  return NULL;
}

CASE (signal_to_thread)
{
  pthread_t thread;
  sem_t ready;
  sem_init (&ready, 0, 0);
  handle (SIGUSR1, on_signal, 0);
  pthread_create (&thread, NULL, in_thread_signalled, &ready);
  sem_wait (&ready);
  for (int i = 0; i < 20; i++)
    {
      pthread_kill (thread, SIGUSR1);
      usleep (3000);
    }
}

static void
on_timer (union sigval value)
{
  (void)value;
  here_check ();
}

CASE (timer_thread)
{
  timer_t timer;
  struct sigevent event = { .sigev_notify = SIGEV_THREAD };
  event.sigev_notify_function = on_timer;
  timer_create (CLOCK_MONOTONIC, &event, &timer);
  timer_settime (timer, 0, &(struct itimerspec){ { 0, 0 }, { 0, 1000000 } },
                 NULL);
  usleep (100000);
}

/* Stacks of our own.  */

static ucontext_t outer, inner;

static void
in_context (void)
{
  sink += recurse (3);
  swapcontext (&inner, &outer);
  sink += recurse (3);
}

CASE (makecontext)
{
  getcontext (&inner);
  inner.uc_stack.ss_sp = malloc (ALTERNATE_STACK);
  inner.uc_stack.ss_size = ALTERNATE_STACK;
  inner.uc_link = &outer;
  makecontext (&inner, in_context, 0);
  swapcontext (&outer, &inner);
  here_check ();
  swapcontext (&outer, &inner);
  here_check ();
}
