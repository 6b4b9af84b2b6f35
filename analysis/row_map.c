/* Sorting ranges and finding those that contradict each other.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/row_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

enum
{
  LATE_MIN = 1024 /* so many are not sorted in yet */
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
  free (row_map->fresh);
  free (row_map->late);
  frame_numbers_free (&row_map->numbers);
  address_list_free (&row_map->starts);
}

void
row_map_clear (struct row_map *row_map)
{
  row_map->n = row_map->n_fresh = row_map->n_late = row_map->starts.n = 0;
}

static uint32_t
row_number (struct row_map *row_map, const struct frame_row *row)
{
  if (!row)
    return ROW_UNKNOWN;
  struct frame_row numbered = *row;
  frame_numbers_give (&row_map->numbers, &numbered);
  if (numbered.number > 0)
    return numbered.number - 1;
  row_map->failed |= row_map->numbers.n < NUMBERS_MAX;
  return ROW_UNKNOWN;
}

/* Append ROW_RANGE to LIST, or make the last one longer.  */
static void
append (struct row_map *row_map, struct row_range **list, size_t *n,
        size_t *capacity, const struct row_range *row_range)
{
  struct row_range *last = *n > 0 ? &(*list)[*n - 1] : NULL;
  if (last && last->row == row_range->row
      && last->start + last->size == row_range->start
      && last->size < UINT32_MAX / 2 && row_range->size < UINT32_MAX / 2)
    last->size += row_range->size;
  else if (ARRAY_ROOM (*list, *n + 1, capacity))
    (*list)[(*n)++] = *row_range;
  else
    row_map->failed = true;
}

void
row_map_add (struct row_map *row_map, uint64_t address, uint32_t size,
             const struct frame_row *row)
{
  const struct row_range row_range
      = { address, size, row_number (row_map, row) };
  append (row_map, &row_map->fresh, &row_map->n_fresh,
          &row_map->fresh_capacity, &row_range);
}

void
row_map_add_start (struct row_map *row_map, uint64_t address)
{
  row_map->failed |= !address_list_add (&row_map->starts, address);
}

static int
compare_ranges (const void *a, const void *b)
{
  const struct row_range *left = a, *right = b;
  if (left->start != right->start)
    return left->start < right->start ? -1 : 1;
  return (left->row > right->row) - (left->row < right->row);
}

/* Sweeping over sorted ranges.  */
struct sweep
{
  struct row_range *settled;
  size_t n;
  uint32_t row;      /* of the range that reaches farthest */
  uint64_t reach;    /* its end */
  uint64_t from;     /* what is below was settled */
  uint64_t disputed; /* there are several rows from `from' to here */
};

static void
put (struct sweep *sweep, uint64_t end, uint32_t row)
{
  struct row_range *last = sweep->n > 0 ? &sweep->settled[sweep->n - 1] : NULL;
  uint64_t start = sweep->from;
  if (start >= end)
    return;
  sweep->from = end;
  if (last && last->row == row && last->start + last->size == start
      && end - last->start < UINT32_MAX)
    last->size = (uint32_t)(end - last->start);
  else
    sweep->settled[sweep->n++]
        = (struct row_range){ start, (uint32_t)(end - start), row };
}

static uint64_t
lower (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static void
settle_up_to (struct sweep *sweep, uint64_t end)
{
  put (sweep, lower (sweep->disputed, end), ROW_UNKNOWN);
  put (sweep, end, sweep->row);
}

static void
take (struct sweep *sweep, const struct row_range *row_range)
{
  uint64_t end = row_range->start + row_range->size;
  if (row_range->start >= sweep->reach)
    {
      settle_up_to (sweep, sweep->reach);
      sweep->from = row_range->start;
      sweep->row = row_range->row;
    }
  else if (row_range->row != sweep->row)
    {
      uint64_t both = lower (end, sweep->reach);
      settle_up_to (sweep, row_range->start);
      if (both > sweep->disputed)
        sweep->disputed = both;
      if (end > sweep->reach)
        sweep->row = row_range->row;
    }
  if (end > sweep->reach)
    sweep->reach = end;
}

/* How many of the ranges do not begin where the one in front ends.  */
static size_t
count_gaps (const struct row_map *row_map)
{
  size_t n = 1;
  for (size_t i = 1; i < row_map->n; i++)
    n += row_map->ranges[i].start
         != row_map->ranges[i - 1].start + row_map->ranges[i - 1].size;
  return n;
}

/* Sort in what came late.  The sorting is done in place, from the front: a
   late range cuts others in two places at most, and fills gaps between
   them, so what is moved back by as much is read before it is overwritten.  */
static bool
settle_late (struct row_map *row_map)
{
  size_t room = 2 * row_map->n_late + count_gaps (row_map) + 2;
  if (!ARRAY_ROOM (row_map->ranges, row_map->n + room, &row_map->capacity))
    return false;
  qsort (row_map->late, row_map->n_late, sizeof *row_map->late,
         compare_ranges);
  struct sweep sweep = { .settled = row_map->ranges };
  const struct row_range *others = row_map->ranges + room;
  memmove (row_map->ranges + room, row_map->ranges,
           row_map->n * sizeof *row_map->ranges);
  for (size_t i = 0, k = 0; i < row_map->n || k < row_map->n_late;)
    {
      bool is_late
          = k < row_map->n_late
            && (i == row_map->n
                || compare_ranges (&row_map->late[k], &others[i]) < 0);
      struct row_range row_range = is_late ? row_map->late[k++] : others[i++];
      take (&sweep, &row_range);
    }
  settle_up_to (&sweep, sweep.reach);
  row_map->n = sweep.n;
  row_map->n_late = 0;
  return true;
}

/* Routines are followed in the order in which they were found, so late ranges
   are rare, and ever rarer.  */
void
row_map_end_routine (struct row_map *row_map)
{
  if (row_map->n_fresh > 0)
    qsort (row_map->fresh, row_map->n_fresh, sizeof *row_map->fresh,
           compare_ranges);
  for (size_t i = 0; i < row_map->n_fresh; i++)
    {
      const struct row_range *row_range = &row_map->fresh[i];
      const struct row_range *last
          = row_map->n > 0 ? &row_map->ranges[row_map->n - 1] : NULL;
      if (!last || last->start + last->size <= row_range->start)
        append (row_map, &row_map->ranges, &row_map->n, &row_map->capacity,
                row_range);
      else
        append (row_map, &row_map->late, &row_map->n_late,
                &row_map->late_capacity, row_range);
    }
  row_map->n_fresh = 0;
  if (row_map->n_late > LATE_MIN + row_map->n / 8 && !settle_late (row_map))
    row_map->failed = true;
}

bool
row_map_drop_disputed (struct row_map *row_map, struct error *err)
{
  return (!row_map->failed && (row_map->n_late == 0 || settle_late (row_map))
          && address_list_sort (&row_map->starts))
         || error_set_no_memory (err);
}

const struct row_range *
row_map_find (const struct row_map *row_map, uint64_t address)
{
  const struct row_range *all = row_map->ranges;
  size_t at
      = SEARCH_FIRST (row_map->n, i, all[i].start + all[i].size > address);
  return at < row_map->n && all[at].start <= address ? &all[at] : NULL;
}
