/* Rounding numbers up to a multiple of a power of two.
   SPDX-License-Identifier: LGPL-2.1-or-later

   ALIGN is a power of two in all of these functions.  */

#ifndef BASE_ALIGN_H
#define BASE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

/* Return VALUE rounded up to a multiple of ALIGN.  The caller knows that the
   result is less than 2^64.  */
static inline uint64_t
align_up (uint64_t value, uint64_t align)
{
  return (value + align - 1) & ~(align - 1);
}

/* Set *RESULT to VALUE, which may be any number, rounded up to a multiple of
   ALIGN.  Returns false when the result is 2^64 or more.  */
static inline bool
align_up_checked (uint64_t value, uint64_t align, uint64_t *result)
{
  if (value > UINT64_MAX - (align - 1))
    return false;
  *result = align_up (value, align);
  return true;
}

/* Round *VALUE up to the next number that is RESIDUE modulo ALIGN.  Returns
   false when that number is 2^64 or more.  */
static inline bool
align_to_residue (uint64_t *value, uint64_t residue, uint64_t align)
{
  uint64_t skip = (residue - *value) & (align - 1);
  return !__builtin_add_overflow (*value, skip, value);
}

#endif /* BASE_ALIGN_H */
