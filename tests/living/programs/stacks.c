/* stacks MODE: stacks of every shape, for ever, to be walked from outside.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#define _GNU_SOURCE 1
#include <alloca.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static jmp_buf jump;

/* No frame of its own, no calls.  */
static __attribute__ ((noinline)) uint64_t
leaf (uint64_t x)
{
  for (int i = 0; i < 200; i++)
    x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

static __attribute__ ((noinline)) uint64_t
recurse (int depth, uint64_t x)
{
  char buffer[64];
  memset (buffer, (int)x, sizeof buffer);
  if (depth == 0)
    return leaf (x);
  x = recurse (depth - 1, x + (uint64_t)buffer[x % 64]);
  return x + (uint64_t)buffer[x % 64];
}

/* A frame of unknown size: the frame pointer is needed.  */
static __attribute__ ((noinline)) uint64_t
dynamic (size_t size, uint64_t x)
{
  char *buffer = alloca (size);
  memset (buffer, (int)x, size);
  return recurse (3, x) + (uint64_t)buffer[x % size];
}

/* A realigned stack with arguments on the old one (DRAP).  */
static __attribute__ ((noinline)) uint64_t
realigned (int a, int b, int c, int d, int e, int f, int g, size_t size)
{
  char aligned[64] __attribute__ ((aligned (64)));
  char *buffer = alloca (size);
  memset (aligned, a + b + c + d, sizeof aligned);
  memset (buffer, e + f + g, size);
  return recurse (3, sink) + (uint64_t)aligned[sink % 64]
         + (uint64_t)buffer[sink % size];
}

static int
compare (const void *a, const void *b)
{
  uint64_t x = leaf (*(const uint64_t *)a), y = leaf (*(const uint64_t *)b);
  return x < y ? -1 : x > y;
}

static void
sort (void)
{
  uint64_t numbers[500];
  for (size_t i = 0; i < 500; i++)
    numbers[i] = sink = leaf (sink + i);
  qsort (numbers, 500, sizeof *numbers, compare);
  sink += numbers[0];
}

static void
handler (int number)
{
  (void)number;
  sink += recurse (4, sink);
}

static void
install_handler (int flags)
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
  struct itimerval interval = { { 0, 200 }, { 0, 200 } };
  sigaction (SIGALRM, &action, NULL);
  setitimer (ITIMER_REAL, &interval, NULL);
}

static void
interrupted (void)
{
  install_handler (SA_RESTART);
  for (;;)
    sink += leaf (sink);
}

static void
on_other_stack (void)
{
  stack_t stack = { .ss_sp = malloc (1 << 16), .ss_size = 1 << 16 };
  sigaltstack (&stack, NULL);
  install_handler (SA_RESTART | SA_ONSTACK);
  for (;;)
    sink += recurse (5, sink);
}

static void
long_jumps (void)
{
  int depth = setjmp (jump);
  sink += recurse (depth % 7, sink);
  if (depth % 3 == 0)
    sort ();
  longjmp (jump, depth + 1);
}

static void *
thread (void *argument)
{
  uint64_t x = (uint64_t)(uintptr_t)argument;
  for (;;)
    {
      sink += recurse ((int)(x % 20), sink);
      x = leaf (x);
      if (x % 100 == 0)
        sched_yield ();
    }
  return NULL;
}

static void
threads (void)
{
  pthread_t id;
  for (uintptr_t i = 0; i < 4; i++)
    pthread_create (&id, NULL, thread, (void *)(i + 1));
  for (;;)
    {
      /* Short ones too.  */
      if (pthread_create (&id, NULL, (void *(*)(void *))leaf, NULL) == 0)
        pthread_join (id, NULL);
      sink += leaf (sink);
    }
}

static int
cloned (void *argument)
{
  sink += recurse (3, (uint64_t)(uintptr_t)argument);
  return 0;
}

static void
children (void)
{
  char *stack = malloc (1 << 16);
  char *const arguments[] = { "true", NULL };
  for (;;)
    {
      pid_t pid = fork ();
      if (pid == 0)
        {
          for (int i = 0; i < 2000; i++)
            sink += recurse (i % 10, sink);
          _exit (0);
        }
      waitpid (pid, NULL, 0);
      pid = vfork ();
      if (pid == 0)
        _exit (0);
      waitpid (pid, NULL, 0);
      if (posix_spawnp (&pid, "true", NULL, NULL, arguments, NULL) == 0)
        waitpid (pid, NULL, 0);
      pid = clone (cloned, stack + (1 << 16), SIGCHLD, NULL);
      waitpid (pid, NULL, 0);
    }
}

static void
libraries (const char *name)
{
  for (;;)
    {
      void *library = dlopen (name, RTLD_NOW);
      double (*function) (double)
          = library ? (double (*) (double))dlsym (library, "lgamma") : NULL;
      for (int i = 1; function && i < 200; i++)
        sink += (uint64_t)function (i * 0.37);
      if (library)
        dlclose (library);
      else
        sink += leaf (sink);
    }
}

/* Library functions called for the first time, one after another.  */
static void
lazily (void)
{
  char text[64];
  snprintf (text, sizeof text, "%.3f", strtod ("2.5", NULL));
  sink += strlen (text) + (uint64_t)atoi ("17") + (uint64_t)time (NULL);
  strncat (text, "abc", 10);
  sink += (uint64_t)(strstr (text, "ab") - text) + strspn (text, "0123456789");
  free (strdup (text));
  sort ();
  sink += (uint64_t)getpid () + (uint64_t)getppid () + (uint64_t)getuid ();
}

static void
mixture (void)
{
  for (unsigned i = 0;; i++)
    {
      sink += recurse ((int)(i % 30), sink);
      sink += dynamic (1 + i % 300, sink);
      sink += realigned (1, 2, 3, 4, 5, 6, (int)i, 1 + i % 300);
      if (i % 16 == 0)
        sort ();
    }
}

int
main (int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  if (strcmp (mode, "signal") == 0)
    interrupted ();
  else if (strcmp (mode, "altstack") == 0)
    on_other_stack ();
  else if (strcmp (mode, "longjmp") == 0)
    long_jumps ();
  else if (strcmp (mode, "threads") == 0)
    threads ();
  else if (strcmp (mode, "children") == 0)
    children ();
  else if (strcmp (mode, "dlopen") == 0)
    libraries (argv[2]);
  else if (strcmp (mode, "mixture") == 0)
    mixture ();
  lazily ();
  return 0;
}
