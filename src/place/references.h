/* Searching code and data for references to a range of addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_REFERENCES_H
#define PLACE_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

enum
{
  REFERENCES_MAX = 8192 /* addresses that a search keeps */
};

/* The addresses in a range to which code or data may refer.  */
struct references
{
  uint64_t begin, end; /* the range that was searched for */
  uint64_t targets[REFERENCES_MAX];
  size_t n_targets;
  bool unknown; /* there may be more: too many, or in an unknown form */
};

/* Search IMAGE for references to addresses in [BEGIN, END), which it loads:
   instructions that address data relative to the PC, distances in data, words
   of programs at a fixed address, dynamic relocations and dynamic symbols.
   Headers and dynamic entries do not count, because a strategy changes them.
   A number that may be an address by chance counts as a reference.  */
void references_find (struct references *found, const struct image *image,
                      uint64_t begin, uint64_t end);

/* Whether FOUND has, or may lack, an address in [BEGIN, END).  */
bool references_meet (const struct references *found, uint64_t begin,
                      uint64_t end);

#endif /* PLACE_REFERENCES_H */
