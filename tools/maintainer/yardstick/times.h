/* Times of several runs, for the programs in this folder.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef YARDSTICK_TIMES_H
#define YARDSTICK_TIMES_H

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

static inline double
milliseconds (clockid_t clock)
{
  struct timespec now;
  clock_gettime (clock, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static inline int
compare_times (const void *a, const void *b)
{
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

/* Sort N times: the first one is then the shortest, the one in the middle the
   median.  */
static inline void
sort_times (double *times, int n)
{
  qsort (times, (size_t)n, sizeof *times, compare_times);
}

#endif /* YARDSTICK_TIMES_H */
