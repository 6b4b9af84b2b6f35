/* A library that walks the stack at every seventh malloc of a program, or when
   SIGPROF comes, for mallocs.sh.  SPDX-License-Identifier: LGPL-2.1-or-later

   LD_PRELOAD brings it in.  MALLOCS_WAY says how: `remembered', as a profiler
   walks; `plain', with a walker that is in use and so remembers nothing;
   `libgcc'; `backtrace'.  With MALLOCS_TIMER walks are made 250 times a second
   of processor time, in a signal handler.  At its end it prints, on standard
   error, walks, frames and the lower quartile of the nanoseconds a frame took,
   clock included, and that of a whole walk.  The table is brought up to date
   at mallocs, which is not timed; with the timer, at every 10,000th.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unwind.h>

#include "sframewalk.h"

enum
{
  FRAMES = 512,
  EVERY = 7,
  EVERY_WITH_TIMER = 10000,
  SAMPLES = 1 << 20
};

static struct sfw_modules *modules;
static struct sfw_walker *walker;
static uint64_t addresses[FRAMES];

/* In the first thread alone, outside of walks.  */
static __thread bool idle __attribute__ ((tls_model ("initial-exec")));
static bool timer;

/* A walk that was made.  */
struct result
{
  size_t frames;
  uint64_t spent;
  enum sfw_end end;
};

static uint64_t
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Walk from CONTEXT on, which is a signal handler's, or from here, if it is
   NULL.  */
static void
walk_on (const void *context, struct result *result)
{
  uint64_t start = now ();
  result->frames = context != NULL ? sfw_ucontext (walker, context, addresses,
                                                   NULL, FRAMES, &result->end)
                                   : sfw_here (walker, addresses, NULL, FRAMES,
                                               &result->end);
  result->spent = now () - start;
}

/* Memory that cannot be read, but in which a walk by the same walker goes
   on.  */
struct walk_within
{
  const void *context;
  struct result *result;
};
static bool
walk_within (void *argument, uint64_t address, void *to, size_t size)
{
  const struct walk_within *within = argument;
  (void)address;
  (void)to;
  (void)size;
  walk_on (within->context, within->result);
  return false;
}

static void
walk_plainly (const void *context, struct result *result)
{
  struct walk_within within = { context, result };
  const struct sfw_memory memory = { .read = walk_within, .context = &within };
  struct sfw_frame frame = { 0 };
  uint64_t unused[2];
  frame.pc = (uintptr_t)&walk_plainly + 1;
  frame.sp = 1;
  sfw_walk (walker, &memory, &frame, unused, NULL, 2, NULL);
}

static _Unwind_Reason_Code
take (struct _Unwind_Context *context, void *argument)
{
  size_t *n = argument;
  addresses[*n] = (uint64_t)_Unwind_GetIP (context);
  return ++*n < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* libgcc and backtrace () begin in the handler.  */
static void
walk_libgcc (const void *context, struct result *result)
{
  (void)context;
  uint64_t start = now ();
  _Unwind_Backtrace (take, &result->frames);
  result->spent = now () - start;
}

static void
walk_backtrace (const void *context, struct result *result)
{
  (void)context;
  uint64_t start = now ();
  result->frames = (size_t)backtrace ((void **)addresses, FRAMES);
  result->spent = now () - start;
}

static struct way
{
  const char *name;
  void (*walk) (const void *context, struct result *result);
} ways[] = {
  { .name = "remembered", .walk = walk_on },
  { .name = "plain", .walk = walk_plainly },
  { .name = "libgcc", .walk = walk_libgcc },
  { .name = "backtrace", .walk = walk_backtrace },
};
enum
{
  WAYS = sizeof ways / sizeof *ways
};
static struct way *way; /* the one that is used */

static unsigned long walks, frames, outermost;
static float each[SAMPLES], whole[SAMPLES];

static void
take_walk (const void *context)
{
  struct result result = { 0 };
  way->walk (context, &result);
  if (result.frames > 0)
    {
      each[walks % SAMPLES] = (float)result.spent / (float)result.frames;
      whole[walks++ % SAMPLES] = (float)result.spent;
    }
  frames += result.frames;
  outermost += result.end == SFW_OUTERMOST;
}

void *
malloc (size_t size)
{
  static void *(*real) (size_t);
  static unsigned long calls;
  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "malloc");
  if (idle && ++calls % (timer ? EVERY_WITH_TIMER : EVERY) == 0)
    {
      idle = false;
      sfw_modules_update (modules);
      if (!timer)
        take_walk (NULL);
      idle = true;
    }
  return real (size);
}

static void
take_sample (int signal, siginfo_t *info, void *context)
{
  (void)signal;
  (void)info;
  if (idle)
    {
      idle = false;
      take_walk (context);
      idle = true;
    }
}

static void
start_timer (void)
{
  const struct sigaction action
      = { .sa_sigaction = take_sample, .sa_flags = SA_SIGINFO | SA_RESTART };
  const struct itimerval interval = { { 0, 4000 }, { 0, 4000 } };
  sigaction (SIGPROF, &action, NULL);
  setitimer (ITIMER_PROF, &interval, NULL);
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *name = getenv ("MALLOCS_WAY");
  modules = sfw_modules_new ();
  walker = sfw_walker_init (malloc (sfw_walker_size ()), sfw_walker_size (),
                            modules);
  timer = getenv ("MALLOCS_TIMER") != NULL;
  for (unsigned i = 0; name != NULL && i < WAYS; i++)
    if (strcmp (ways[i].name, name) == 0)
      way = &ways[i];
  if (way == NULL || walker == NULL || !sfw_walker_set_thread (walker)
      || !sfw_modules_update (modules))
    return;
  if (timer)
    start_timer ();
  idle = true;
}

static int
by_size (const void *a, const void *b)
{
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

__attribute__ ((destructor)) static void
end (void)
{
  idle = false;
  if (way == NULL || walks == 0)
    return;
  size_t n = walks < SAMPLES ? walks : SAMPLES;
  qsort (each, n, sizeof *each, by_size);
  qsort (whole, n, sizeof *whole, by_size);
  fprintf (stderr,
           "mallocs: %-10s %8lu walks %9lu frames %7.1f ns a frame, %6.0f a "
           "walk, %.1f %% to the outermost\n",
           way->name, walks, frames, (double)each[n / 4], (double)whole[n / 4],
           100.0 * (double)outermost / (double)walks);
}
