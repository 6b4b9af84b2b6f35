/* Intervals of addresses that may overlap, and which one has an address.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_INTERVAL_MAP_H
#define STACKS_INTERVAL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_interval
{
  uint64_t start, end;
};

struct interval_span; /* opaque */

/* All zeros: no interval has an address.  */
struct interval_map
{
  struct interval_span *spans; /* owned; ascending */
  size_t n;
};

#define INTERVAL_MAP_NONE UINT32_MAX

/* Make MAP of the N INTERVALS, fewer than 2^31.  Where intervals overlap, the
   later one in the list has the addresses.  False when memory ran out.  */
bool interval_map_make (struct interval_map *map,
                        const struct address_interval *intervals, size_t n);

/* The number of the interval that has ADDRESS, or INTERVAL_MAP_NONE.  */
uint32_t interval_map_find (const struct interval_map *map, uint64_t address);

void interval_map_free (struct interval_map *map);

#endif /* STACKS_INTERVAL_MAP_H */
