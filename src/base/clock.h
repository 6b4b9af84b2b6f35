/* Measuring elapsed time.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Return the nanoseconds since an unspecified moment in the past.  */
static inline uint64_t
clock_nanoseconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Return the seconds since the same moment.  */
static inline double
clock_now (void)
{
  return (double)clock_nanoseconds () * 1e-9;
}

#endif /* BASE_CLOCK_H */
