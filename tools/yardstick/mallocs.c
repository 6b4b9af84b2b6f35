/* A library that walks the stack at every seventh malloc of a program, for
   mallocs.sh.  SPDX-License-Identifier: LGPL-2.1-or-later

   LD_PRELOAD brings it in.  MALLOCS_WAY says how: `remembered', as a profiler
   walks; `plain', with a walker that is in use and so remembers nothing;
   `libgcc'; `backtrace'.  At its end it prints, on standard error, walks,
   frames and the lower quartile of the nanoseconds a frame took, clock
   included.  The table is brought up to date before each walk, which is not
   timed.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unwind.h>

#include "sframewalk.h"

enum
{
  FRAMES = 512,
  EVERY = 7,
  SAMPLES = 1 << 20
};

static struct sfw_modules *modules;
static struct sfw_walker *walker;
static const char *way;
static unsigned long calls, walks, frames, outermost;
static uint64_t spent; /* by the walk at hand */
static float samples[SAMPLES];
static __thread bool busy __attribute__ ((tls_model ("initial-exec")));
static bool ready;
static uint64_t addresses[FRAMES];

static uint64_t
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static _Unwind_Reason_Code
take (struct _Unwind_Context *context, void *argument)
{
  size_t *n = argument;
  addresses[*n] = (uint64_t)_Unwind_GetIP (context);
  return ++*n < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static size_t plain_n;

/* Memory that cannot be read, but in which a walk by the same walker goes
   on.  */
static bool
walk_within (void *context, uint64_t address, void *to, size_t size)
{
  enum sfw_end end;
  (void)context;
  (void)address;
  (void)to;
  (void)size;
  uint64_t start = now ();
  plain_n = sfw_here (walker, addresses, NULL, FRAMES, &end);
  spent = now () - start;
  outermost += end == SFW_OUTERMOST;
  return false;
}

static size_t
walk_plainly (void)
{
  const struct sfw_memory memory = { .read = walk_within };
  struct sfw_frame frame = { 0 };
  uint64_t unused[2];
  frame.pc = (uintptr_t)&walk_plainly + 1;
  frame.sp = 1;
  plain_n = 0;
  sfw_walk (walker, &memory, &frame, unused, NULL, 2, NULL);
  return plain_n;
}

static void
walk (void)
{
  size_t n = 0;
  enum sfw_end end = SFW_MORE;
  sfw_modules_update (modules);
  if (strcmp (way, "plain") == 0)
    n = walk_plainly ();
  else
    {
      uint64_t start = now ();
      if (strcmp (way, "libgcc") == 0)
        _Unwind_Backtrace (take, &n);
      else if (strcmp (way, "backtrace") == 0)
        n = (size_t)backtrace ((void **)addresses, FRAMES);
      else
        n = sfw_here (walker, addresses, NULL, FRAMES, &end);
      spent = now () - start;
    }
  if (n > 0)
    samples[walks % SAMPLES] = (float)spent / (float)n;
  walks++;
  frames += n;
  outermost += end == SFW_OUTERMOST;
}

void *
malloc (size_t size)
{
  static void *(*real) (size_t);
  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "malloc");
  if (ready && !busy && ++calls % EVERY == 0)
    {
      busy = true;
      walk ();
      busy = false;
    }
  return real (size);
}

__attribute__ ((constructor)) static void
begin (void)
{
  way = getenv ("MALLOCS_WAY");
  busy = true;
  modules = sfw_modules_new ();
  walker = sfw_walker_init (malloc (sfw_walker_size ()), sfw_walker_size (),
                            modules);
  ready = way != NULL && walker != NULL && sfw_walker_set_thread (walker);
  busy = false;
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
  size_t n = walks < SAMPLES ? walks : SAMPLES;
  qsort (samples, n, sizeof *samples, by_size);
  if (ready && frames > 0)
    fprintf (stderr,
             "mallocs: %-10s %8lu walks %9lu frames %7.1f ns a frame, "
             "%.1f %% to the outermost\n",
             way, walks, frames, (double)samples[n / 4],
             100.0 * (double)outermost / (double)walks);
  ready = false;
}
