/* The normal form of a plan: all of the new file, in ascending pieces.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The new file is cut wherever an extent, a patch or .sframe begins or ends.
   So each of these covers a piece as a whole, or has no byte of it.  */

#include "place/plan.h"

#include <stdlib.h>

#include "base/radix.h"
#include "base/search.h"

static uint64_t *
cut (uint64_t *cuts, uint64_t offset, uint64_t size)
{
  *cuts++ = offset;
  *cuts++ = offset + size;
  return cuts;
}

/* All *N places to cut, ascending, some of them twice; allocated.  */
static uint64_t *
find_cuts (const struct plan *plan, size_t *n)
{
  *n = 2 * (plan->n_extents + plan->n_patches + 2);
  uint64_t *cuts = calloc (*n, sizeof *cuts);
  if (cuts == NULL)
    return NULL;
  uint64_t *end = cut (cuts, 0, plan->new_size);
  end = cut (end, plan->sframe_offset, plan->sframe_size);
  for (size_t i = 0; i < plan->n_extents; i++)
    end = cut (end, plan->extents[i].new_offset, plan->extents[i].size);
  for (size_t i = 0; i < plan->n_patches; i++)
    end = cut (end, plan->patches[i].offset, plan->patches[i].size);
  if (!RADIX_SORT (cuts, *n))
    {
      free (cuts);
      return NULL;
    }
  return cuts;
}

/* Have the pieces in [OFFSET, + SIZE) made of BYTES.  */
static void
cover (struct plan_piece *pieces, size_t n, uint64_t offset, uint64_t size,
       const uint8_t *bytes)
{
  for (size_t i = SEARCH_FIRST (n, k, pieces[k].offset >= offset);
       i < n && pieces[i].offset - offset < size; i++)
    pieces[i].bytes = bytes + (pieces[i].offset - offset);
}

static void
cover_all (struct plan_piece *pieces, size_t n, const struct plan *plan,
           const uint8_t *old, const uint8_t *sframe)
{
  for (size_t i = 0; i < plan->n_extents; i++)
    cover (pieces, n, plan->extents[i].new_offset, plan->extents[i].size,
           old + plan->extents[i].old_offset);
  for (size_t i = 0; i < n; i++)
    pieces[i].old = pieces[i].bytes;
  for (size_t i = 0; i < plan->n_patches; i++)
    cover (pieces, n, plan->patches[i].offset, plan->patches[i].size,
           plan->patches[i].bytes);
  if (sframe != NULL)
    cover (pieces, n, plan->sframe_offset, plan->sframe_size, sframe);
}

struct plan_piece *
plan_cut (const struct plan *plan, const uint8_t *old, const uint8_t *sframe,
          size_t *n)
{
  size_t n_cuts;
  uint64_t *cuts = find_cuts (plan, &n_cuts);
  struct plan_piece *pieces
      = cuts == NULL ? NULL : calloc (n_cuts, sizeof *pieces);
  *n = 0;
  for (size_t i = 1; pieces != NULL && i < n_cuts; i++)
    if (cuts[i] > cuts[i - 1])
      pieces[(*n)++] = (struct plan_piece){ .offset = cuts[i - 1],
                                            .size = cuts[i] - cuts[i - 1] };
  if (pieces != NULL)
    cover_all (pieces, *n, plan, old, sframe);
  free (cuts);
  return pieces;
}
