/* Sorting claims and finding those that contradict each other.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/claims.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/search.h"

enum
{
  LATE_MIN = 1024 /* so many are not sorted in yet */
};

bool
claims_init (struct claims *claims, struct error *err)
{
  *claims = (struct claims){ 0 };
  return table_init (&claims->by_hash, 64) || error_set_no_memory (err);
}

void
claims_free (struct claims *claims)
{
  free (claims->claims);
  free (claims->fresh);
  free (claims->late);
  free (claims->rows);
  free (claims->starts);
  table_free (&claims->by_hash);
}

void
claims_clear (struct claims *claims)
{
  claims->n = claims->n_fresh = claims->n_late = claims->n_starts = 0;
}

static uint32_t
row_number (struct claims *claims, const struct frame_row *row)
{
  const struct frame_rule rules[] = { row->cfa, row->ra, row->fp };
  uint8_t key[sizeof rules + 1];
  memcpy (key, rules, sizeof rules);
  key[sizeof rules] = row->ra_signed;
  struct table_walk walk = { .hash = hash_for_table (key, sizeof key) };
  uint32_t number;
  while (table_next (&claims->by_hash, &walk, &number))
    if (frame_row_same_rules (&claims->rows[number], row))
      return number;
  if (!ARRAY_ROOM (claims->rows, claims->n_rows + 1, &claims->rows_capacity))
    {
      claims->failed = true;
      return CLAIM_NOTHING;
    }
  claims->rows[claims->n_rows] = *row;
  claims->rows[claims->n_rows].start = 0;
  table_insert (&claims->by_hash, walk.hash, (uint32_t)claims->n_rows);
  return (uint32_t)claims->n_rows++;
}

/* Rows repeat for instruction after instruction.  */
static uint32_t
row_number_quickly (struct claims *claims, const struct frame_row *row)
{
  uint32_t last = claims->n_fresh > 0 ? claims->fresh[claims->n_fresh - 1].row
                                      : CLAIM_NOTHING;
  if (!row)
    return CLAIM_NOTHING;
  if (last != CLAIM_NOTHING && frame_row_same_rules (&claims->rows[last], row))
    return last;
  return row_number (claims, row);
}

/* Append CLAIM to LIST, or make the last one longer.  */
static void
append (struct claims *claims, struct claim **list, size_t *n,
        size_t *capacity, const struct claim *claim)
{
  struct claim *last = *n > 0 ? &(*list)[*n - 1] : NULL;
  if (last && last->row == claim->row
      && last->start + last->size == claim->start
      && last->size < UINT32_MAX / 2 && claim->size < UINT32_MAX / 2)
    last->size += claim->size;
  else if (ARRAY_ROOM (*list, *n + 1, capacity))
    (*list)[(*n)++] = *claim;
  else
    claims->failed = true;
}

void
claims_add (struct claims *claims, uint64_t address, uint32_t size,
            const struct frame_row *row)
{
  const struct claim claim
      = { address, size, row_number_quickly (claims, row) };
  append (claims, &claims->fresh, &claims->n_fresh, &claims->fresh_capacity,
          &claim);
}

void
claims_add_start (struct claims *claims, uint64_t address)
{
  if (ARRAY_ROOM (claims->starts, claims->n_starts + 1,
                  &claims->starts_capacity))
    claims->starts[claims->n_starts++] = address;
  else
    claims->failed = true;
}

static int
compare_claims (const void *a, const void *b)
{
  const struct claim *left = a, *right = b;
  if (left->start != right->start)
    return left->start < right->start ? -1 : 1;
  return (left->row > right->row) - (left->row < right->row);
}

static int
compare_starts (const void *a, const void *b)
{
  const uint64_t *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

/* Sweeping over sorted claims.  */
struct sweep
{
  struct claim *settled;
  size_t n;
  uint32_t row;      /* of the claim that reaches farthest */
  uint64_t reach;    /* its end */
  uint64_t from;     /* what is below was settled */
  uint64_t disputed; /* several rows were claimed from `from' to here */
};

static void
put (struct sweep *sweep, uint64_t end, uint32_t row)
{
  struct claim *last = sweep->n > 0 ? &sweep->settled[sweep->n - 1] : NULL;
  uint64_t start = sweep->from;
  if (start >= end)
    return;
  sweep->from = end;
  if (last && last->row == row && last->start + last->size == start
      && end - last->start < UINT32_MAX)
    last->size = (uint32_t)(end - last->start);
  else
    sweep->settled[sweep->n++]
        = (struct claim){ start, (uint32_t)(end - start), row };
}

static uint64_t
lower (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static void
settle_up_to (struct sweep *sweep, uint64_t end)
{
  put (sweep, lower (sweep->disputed, end), CLAIM_NOTHING);
  put (sweep, end, sweep->row);
}

static void
take (struct sweep *sweep, const struct claim *claim)
{
  uint64_t end = claim->start + claim->size;
  if (claim->start >= sweep->reach)
    {
      settle_up_to (sweep, sweep->reach);
      sweep->from = claim->start;
      sweep->row = claim->row;
    }
  else if (claim->row != sweep->row)
    {
      uint64_t both = lower (end, sweep->reach);
      settle_up_to (sweep, claim->start);
      if (both > sweep->disputed)
        sweep->disputed = both;
      if (end > sweep->reach)
        sweep->row = claim->row;
    }
  if (end > sweep->reach)
    sweep->reach = end;
}

/* How many of the claims do not begin where the one in front ends.  */
static size_t
count_gaps (const struct claims *claims)
{
  size_t n = 1;
  for (size_t i = 1; i < claims->n; i++)
    n += claims->claims[i].start
         != claims->claims[i - 1].start + claims->claims[i - 1].size;
  return n;
}

/* Sort in what came late.  That is done in place, from the front: a late claim
   cuts others in two places at most, and fills gaps between them, so what is
   moved back by as much is read before it is overwritten.  */
static bool
settle_late (struct claims *claims)
{
  size_t room = 2 * claims->n_late + count_gaps (claims) + 2;
  if (!ARRAY_ROOM (claims->claims, claims->n + room, &claims->capacity))
    return false;
  qsort (claims->late, claims->n_late, sizeof *claims->late, compare_claims);
  struct sweep sweep = { .settled = claims->claims };
  const struct claim *others = claims->claims + room;
  memmove (claims->claims + room, claims->claims,
           claims->n * sizeof *claims->claims);
  for (size_t i = 0, k = 0; i < claims->n || k < claims->n_late;)
    {
      bool is_late = k < claims->n_late
                     && (i == claims->n
                         || compare_claims (&claims->late[k], &others[i]) < 0);
      struct claim claim = is_late ? claims->late[k++] : others[i++];
      take (&sweep, &claim);
    }
  settle_up_to (&sweep, sweep.reach);
  claims->n = sweep.n;
  claims->n_late = 0;
  return true;
}

/* Units are followed in the order in which they were found, so this happens
   rarely, and ever more rarely.  */
void
claims_end_routine (struct claims *claims)
{
  if (claims->n_fresh > 0)
    qsort (claims->fresh, claims->n_fresh, sizeof *claims->fresh,
           compare_claims);
  for (size_t i = 0; i < claims->n_fresh; i++)
    {
      const struct claim *claim = &claims->fresh[i];
      const struct claim *last
          = claims->n > 0 ? &claims->claims[claims->n - 1] : NULL;
      if (!last || last->start + last->size <= claim->start)
        append (claims, &claims->claims, &claims->n, &claims->capacity, claim);
      else
        append (claims, &claims->late, &claims->n_late, &claims->late_capacity,
                claim);
    }
  claims->n_fresh = 0;
  if (claims->n_late > LATE_MIN + claims->n / 8 && !settle_late (claims))
    claims->failed = true;
}

bool
claims_settle (struct claims *claims, struct error *err)
{
  if (claims->failed || (claims->n_late > 0 && !settle_late (claims)))
    return error_set_no_memory (err);
  if (claims->n_starts > 0)
    qsort (claims->starts, claims->n_starts, sizeof *claims->starts,
           compare_starts);
  return true;
}

const struct claim *
claims_find (const struct claims *claims, uint64_t address)
{
  const struct claim *all = claims->claims;
  size_t at
      = SEARCH_FIRST (claims->n, i, all[i].start + all[i].size > address);
  return at < claims->n && all[at].start <= address ? &all[at] : NULL;
}
