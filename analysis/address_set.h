/* A set of addresses of code: one bit for each byte of it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nearly all addresses that are looked up in address maps are in none of
   them, and come in ascending order.  The set tells so without leaving the
   cache.  */

#ifndef ANALYSIS_ADDRESS_SET_H
#define ANALYSIS_ADDRESS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

struct address_set_part
{
  uint64_t start, size;
  uint64_t *bits; /* owned */
};

struct address_set
{
  struct address_set_part *parts; /* owned; one per executable segment */
  size_t n_parts;
};

/* An empty set for the code of IMAGE.  False when memory ran out.  */
bool address_set_init (struct address_set *set, const struct image *image);
void address_set_free (struct address_set *set);

static inline struct address_set_part *
address_set_part (const struct address_set *set, uint64_t address)
{
  size_t low = 0, high = set->n_parts;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      struct address_set_part *part = &set->parts[middle];
      if (address - part->start < part->size)
        return part;
      if (address < part->start)
        high = middle;
      else
        low = middle + 1;
    }
  return NULL;
}

/* Put in ADDRESS, if it is one of code.  */
static inline void
address_set_add (struct address_set *set, uint64_t address)
{
  struct address_set_part *part = address_set_part (set, address);
  if (part)
    part->bits[(address - part->start) / 64]
        |= (uint64_t)1 << (address - part->start) % 64;
}

/* Whether ADDRESS may have been put in: certain for addresses of code.  */
static inline bool
address_set_may_have (const struct address_set *set, uint64_t address)
{
  const struct address_set_part *part = address_set_part (set, address);
  return !part
         || part->bits[(address - part->start) / 64]
                    >> (address - part->start) % 64
                & 1;
}

#endif /* ANALYSIS_ADDRESS_SET_H */
