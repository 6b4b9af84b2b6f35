/* Amounts in sentences: proportions in percent, and nouns behind numbers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_AMOUNTS_H
#define BASE_AMOUNTS_H

#include <stdint.h>

/* PART of WHOLE in percent; 100 of nothing, where nothing is missing.  */
static inline double
percent_of (uint64_t part, uint64_t whole)
{
  return whole == 0 ? 100 : 100 * (double)part / (double)whole;
}

/* What ends a regular noun that N are counted of.  */
static inline const char *
plural_s (uint64_t n)
{
  return n == 1 ? "" : "s";
}

#endif /* BASE_AMOUNTS_H */
