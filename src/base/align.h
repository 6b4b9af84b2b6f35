/* Rounding up, to powers of two.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_ALIGN_H
#define BASE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

/* VALUE rounded up to a multiple of ALIGN; for values that are known to be far
   below 2^64.  */
static inline uint64_t
align_up (uint64_t value, uint64_t align)
{
  return (value + align - 1) & ~(align - 1);
}

/* VALUE, which may be any, rounded up to a multiple of ALIGN; false when that
   does not fit.  */
static inline bool
align_up_checked (uint64_t value, uint64_t align, uint64_t *result)
{
  if (value > UINT64_MAX - (align - 1))
    return false;
  *result = align_up (value, align);
  return true;
}

/* Round *VALUE up until it is RESIDUE modulo ALIGN; false when that does not
   fit.  */
static inline bool
align_to_residue (uint64_t *value, uint64_t residue, uint64_t align)
{
  uint64_t skip = (residue - *value) & (align - 1);
  return !__builtin_add_overflow (*value, skip, value);
}

#endif /* BASE_ALIGN_H */
