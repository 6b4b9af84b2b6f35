/* speed: how long backtrace () takes, in nanoseconds.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Prints one line for each depth: frames, then the least time of many.  */

#include <execinfo.h>
#include <stdio.h>
#include <time.h>

enum
{
  FRAMES_MAX = 1024,
  ROUNDS = 9,
  CALLS = 400 /* that are timed together */
};

static void *frames[FRAMES_MAX];

static double
now (void)
{
  struct timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static __attribute__ ((noinline, noclone)) int
measure (int depth)
{
  double least = 1e18;
  int n = 0;
  volatile char frame[8] = { 0 }; /* or it becomes a loop */
  if (depth > 0)
    return measure (depth - 1) + frame[depth % 8];
  for (int i = 0; i < ROUNDS; i++)
    {
      double start = now ();
      for (int j = 0; j < CALLS; j++)
        n = backtrace (frames, FRAMES_MAX);
      double time = (now () - start) / CALLS;
      least = time < least ? time : least;
    }
  printf ("%d frames %.0f ns\n", n, least);
  return n;
}

int
main (void)
{
  measure (2);
  measure (401);
  return 0;
}
