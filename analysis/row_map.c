/* Merging ranges of rows, and finding conflicts.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Ranges are appended unsorted.  A merge sorts all of them and sweeps over
   them once.  It runs when there are more new ranges than merged ones, so that
   the total time stays linear.  */

#include "analysis/row_map.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"

enum
{
  UNMERGED_MIN = 1024 /* fewer new ranges are not merged */
};

bool
row_map_init (struct row_map *row_map, struct error *err)
{
  *row_map = (struct row_map){ 0 };
  return frame_numbers_init (&row_map->numbers) || error_set_no_memory (err);
}

void
row_map_free (struct row_map *row_map)
{
  free (row_map->ranges);
  frame_numbers_free (&row_map->numbers);
  address_list_free (&row_map->starts);
}

void
row_map_clear (struct row_map *row_map)
{
  row_map->n = row_map->n_merged = row_map->starts.n = 0;
}

void
row_map_add_start (struct row_map *row_map, uint64_t address)
{
  if (!address_list_add (&row_map->starts, address))
    row_map->failed = true;
}

/* The state of a sweep over sorted ranges.  */
struct sweep
{
  struct row_range *merged;
  size_t n;
  uint32_t row;          /* of the range with the highest end */
  uint64_t reach;        /* that end */
  uint64_t from;         /* code below was merged */
  uint64_t conflict_end; /* rows conflict from `from' to here */
};

static void
put_range (struct sweep *sweep, uint64_t end, uint32_t row)
{
  struct row_range *last = sweep->n > 0 ? &sweep->merged[sweep->n - 1] : NULL;
  uint64_t start = sweep->from;
  if (start >= end)
    return;
  sweep->from = end;
  if (last && last->row == row && last->start + last->size == start
      && end - last->start < UINT32_MAX)
    last->size = (uint32_t)(end - last->start);
  else
    sweep->merged[sweep->n++]
        = (struct row_range){ start, (uint32_t)(end - start), row };
}

static uint64_t
lower (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static void
merge_up_to (struct sweep *sweep, uint64_t end)
{
  put_range (sweep, lower (sweep->conflict_end, end), ROW_UNKNOWN);
  put_range (sweep, end, sweep->row);
}

static void
take_range (struct sweep *sweep, const struct row_range *row_range)
{
  uint64_t end = row_range->start + row_range->size;
  if (row_range->start >= sweep->reach)
    {
      merge_up_to (sweep, sweep->reach);
      sweep->from = row_range->start;
      sweep->row = row_range->row;
    }
  else if (row_range->row != sweep->row)
    {
      uint64_t both = lower (end, sweep->reach);
      merge_up_to (sweep, row_range->start);
      if (both > sweep->conflict_end)
        sweep->conflict_end = both;
      if (end > sweep->reach)
        sweep->row = row_range->row;
    }
  if (end > sweep->reach)
    sweep->reach = end;
}

/* Sort all ranges, and make them disjoint.  The two ends of a range cut at
   most two others.  */
static bool
merge (struct row_map *row_map)
{
  size_t room = 2 * row_map->n + 1;
  struct sweep sweep = { .merged = NULL };
  if (!RADIX_SORT (row_map->ranges, row_map->n))
    return false;
  row_map->capacity = row_map->n;
  sweep.merged = reallocarray (NULL, room, sizeof *sweep.merged);
  if (!sweep.merged)
    return false;
  for (size_t i = 0; i < row_map->n; i++)
    take_range (&sweep, &row_map->ranges[i]);
  merge_up_to (&sweep, sweep.reach);
  free (row_map->ranges);
  row_map->ranges = sweep.merged;
  row_map->n = row_map->n_merged = sweep.n;
  row_map->capacity = room;
  return true;
}

void
row_map_add (struct row_map *row_map, uint64_t address, uint32_t size,
             const struct frame_row *row)
{
  uint32_t number = ROW_UNKNOWN;
  if (row)
    {
      struct frame_row numbered = *row;
      frame_numbers_give (&row_map->numbers, &numbered);
      if (numbered.number > 0)
        number = numbered.number - 1;
      else
        row_map->failed |= row_map->numbers.n < NUMBERS_MAX;
    }
  if (ARRAY_ROOM (row_map->ranges, row_map->n + 1, &row_map->capacity))
    row_map->ranges[row_map->n++]
        = (struct row_range){ address, size, number };
  else
    row_map->failed = true;
  if (row_map->n > 2 * row_map->n_merged + UNMERGED_MIN && !merge (row_map))
    row_map->failed = true;
}

bool
row_map_merge (struct row_map *row_map, struct error *err)
{
  bool is_merged = row_map->n == row_map->n_merged || merge (row_map);
  return (is_merged && !row_map->failed
          && address_list_sort (&row_map->starts))
         || error_set_no_memory (err);
}

const struct row_range *
row_map_find (const struct row_map *row_map, uint64_t address)
{
  const struct row_range *all = row_map->ranges;
  size_t n = row_map->n_merged;
  size_t at = SEARCH_FIRST (n, i, all[i].start + all[i].size > address);
  return at < n && all[at].start <= address ? &all[at] : NULL;
}
