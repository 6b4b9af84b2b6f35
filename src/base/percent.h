/* Proportions in percent.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_PERCENT_H
#define BASE_PERCENT_H

#include <stdint.h>

/* PART of WHOLE in percent; 100 of nothing, where nothing is missing.  */
static inline double
percent_of (uint64_t part, uint64_t whole)
{
  return whole == 0 ? 100 : 100 * (double)part / (double)whole;
}

#endif /* BASE_PERCENT_H */
