/* Nouns behind numbers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

#include <stdint.h>

/* What ends a regular noun that N are counted of.  */
static inline const char *
plural_s (uint64_t n)
{
  return n == 1 ? "" : "s";
}

#endif /* BASE_PLURAL_H */
