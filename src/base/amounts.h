/* Numbers in sentences: percentages, and plurals of counted nouns.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_AMOUNTS_H
#define BASE_AMOUNTS_H

#include <stdint.h>

/* Return how many percent of WHOLE PART is.  Where WHOLE is 0 nothing is
   missing, so the result is 100.  */
static inline double
percent_of (uint64_t part, uint64_t whole)
{
  return whole == 0 ? 100 : 100 * (double)part / (double)whole;
}

/* Return the plural ending of a regular noun after the number N.  */
static inline const char *
plural_s (uint64_t n)
{
  return n == 1 ? "" : "s";
}

#endif /* BASE_AMOUNTS_H */
