/* Maps from an address to the interval that contains it, where intervals may
   overlap.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The starts and ends of all intervals, sorted, divide the addresses into
   spans.  From the last interval to the first, each takes its spans that are
   still free.  A span that was taken points forward to a span from which on to
   search for the next free one (union-find with path halving).  So any number
   of overlaps takes hardly more time than the sorting.  */

#include "stacks/names.h"

#include <stdlib.h>

#include "base/radix.h"
#include "base/search.h"

/* A range of addresses, from START up to the start of the next span.  */
struct interval_span
{
  uint64_t start;
  /* The interval that owns the span.  Before the spans are sorted: 2 * I for
     the start of interval I, and 2 * I + 1 for its end.  */
  uint32_t number;
  uint32_t next; /* no span from this one up to NEXT is free */
};

/* Make the sorted spans of the N INTERVALS, and one behind them.  Set
   PLACES[i] to the index of the span that was number i before the sorting.  */
static bool
make_spans (struct interval_map *map, const struct address_interval *intervals,
            size_t n, uint32_t *places)
{
  struct interval_span *spans = calloc (2 * n + 1, sizeof *spans);
  if (spans == NULL)
    return false;
  for (uint32_t i = 0; i < n; i++)
    {
      spans[2 * i].start = intervals[i].start;
      spans[2 * i + 1].start = intervals[i].end;
    }
  spans[2 * n].start = UINT64_MAX;
  for (uint32_t i = 0; i <= 2 * n; i++)
    spans[i].number = i;
  bool sorted = RADIX_SORT (spans, 2 * n + 1);
  map->spans = spans;
  map->n = 2 * n + 1;
  for (uint32_t i = 0; sorted && i < map->n; i++)
    {
      places[map->spans[i].number] = i;
      map->spans[i].number = INTERVAL_MAP_NONE;
      map->spans[i].next = i;
    }
  return sorted;
}

/* Return the first free span from number AT on; the last span is free.  */
static uint32_t
next_free (struct interval_span *spans, uint32_t at)
{
  while (spans[at].next != at)
    {
      spans[at].next = spans[spans[at].next].next;
      at = spans[at].next;
    }
  return at;
}

bool
interval_map_make (struct interval_map *map,
                   const struct address_interval *intervals, size_t n)
{
  uint32_t *places = calloc (2 * n + 1, sizeof *places);
  *map = (struct interval_map){ 0 };
  bool made = places != NULL && make_spans (map, intervals, n, places);
  for (uint32_t i = (uint32_t)n; made && i-- > 0;)
    for (uint32_t at = places[2 * i];
         (at = next_free (map->spans, at)) < places[2 * i + 1];)
      {
        map->spans[at].number = i;
        map->spans[at].next = at + 1;
      }
  free (places);
  if (!made)
    interval_map_free (map);
  return made;
}

uint32_t
interval_map_find (const struct interval_map *map, uint64_t address)
{
  size_t behind = SEARCH_FIRST (map->n, i, map->spans[i].start > address);
  return behind > 0 ? map->spans[behind - 1].number : INTERVAL_MAP_NONE;
}

void
interval_map_free (struct interval_map *map)
{
  free (map->spans);
  *map = (struct interval_map){ 0 };
}
