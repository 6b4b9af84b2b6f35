/* Elapsed time.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_CLOCK_H
#define TOOL_CLOCK_H

#include <time.h>

/* Seconds since some moment in the past.  */
static inline double
clock_now (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif /* TOOL_CLOCK_H */
