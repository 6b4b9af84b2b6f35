/* Building a plan, and cutting the new file into pieces.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "place/plan.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"

bool
plan_clear (struct plan *plan, uint64_t offset, uint64_t size,
            struct error *err)
{
  /* Extents are disjoint, so the range cuts no more than one of them in two,
     and one element more is enough.  */
  struct plan_extent *kept = calloc (plan->n_extents + 1, sizeof *kept);
  uint64_t end;
  size_t n = 0;
  if (kept == NULL)
    return error_set_no_memory (err);
  if (__builtin_add_overflow (offset, size, &end))
    end = UINT64_MAX;
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct plan_extent *old = &plan->extents[i];
      uint64_t begin = old->new_offset, old_end = begin + old->size;
      uint64_t front_end = old_end < offset ? old_end : offset;
      uint64_t back = begin > end ? begin : end;
      if (begin < front_end)
        kept[n++] = (struct plan_extent){ old->old_offset, begin,
                                          front_end - begin };
      if (back < old_end)
        kept[n++] = (struct plan_extent){ old->old_offset + (back - begin),
                                          back, old_end - back };
    }
  free (plan->extents);
  plan->extents = kept;
  plan->extents_capacity = plan->n_extents + 1;
  plan->n_extents = n;
  return true;
}

bool
plan_copy (struct plan *plan, uint64_t old_offset, uint64_t new_offset,
           uint64_t size, struct error *err)
{
  if (size == 0)
    return true;
  if (!plan_clear (plan, new_offset, size, err))
    return false;
  if (!ARRAY_ROOM (plan->extents, plan->n_extents + 1,
                   &plan->extents_capacity))
    return error_set_no_memory (err);
  size_t at = plan->n_extents++;
  for (; at > 0 && plan->extents[at - 1].new_offset > new_offset; at--)
    plan->extents[at] = plan->extents[at - 1];
  plan->extents[at] = (struct plan_extent){ old_offset, new_offset, size };
  return true;
}

bool
plan_find (const struct plan *plan, uint64_t old_offset, uint64_t size,
           uint64_t *new_offset)
{
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct plan_extent *extent = &plan->extents[i];
      if (old_offset < extent->old_offset)
        continue;
      uint64_t skip = old_offset - extent->old_offset;
      if (skip < extent->size && size <= extent->size - skip)
        {
          *new_offset = extent->new_offset + skip;
          return true;
        }
    }
  return false;
}

uint8_t *
plan_add_patch (struct plan *plan, uint64_t offset, size_t size,
                struct error *err)
{
  uint8_t *bytes = NULL;
  if (ARRAY_ROOM (plan->patches, plan->n_patches + 1, &plan->patches_capacity))
    bytes = calloc (1, size ? size : 1);
  if (bytes == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  plan->patches[plan->n_patches++]
      = (struct plan_patch){ offset, size, bytes };
  return bytes;
}

void
plan_free (struct plan *plan)
{
  for (size_t i = 0; i < plan->n_patches; i++)
    free (plan->patches[i].bytes);
  free (plan->patches);
  free (plan->extents);
  *plan = (struct plan){ 0 };
}

/* ---- Pieces

   The new file is cut wherever an extent, a patch or .sframe begins or ends.
   So each of these covers all bytes of a piece, or none.  */

/* Store both ends of a range at CUTS, and return the end of these.  */
static uint64_t *
cut (uint64_t *cuts, uint64_t offset, uint64_t size)
{
  *cuts++ = offset;
  *cuts++ = offset + size;
  return cuts;
}

/* Return the *N offsets at which to cut, ascending, with repetitions.  The
   caller frees them.  NULL when memory ran out.  */
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

/* Set the bytes of the pieces in [OFFSET, + SIZE) to BYTES.  */
static void
cover (struct plan_piece *pieces, size_t n, uint64_t offset, uint64_t size,
       const uint8_t *bytes)
{
  for (size_t i = SEARCH_FIRST (n, k, pieces[k].offset >= offset);
       i < n && pieces[i].offset - offset < size; i++)
    pieces[i].bytes = bytes + (pieces[i].offset - offset);
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
  free (cuts);
  if (pieces == NULL)
    return NULL;
  for (size_t i = 0; i < plan->n_extents; i++)
    cover (pieces, *n, plan->extents[i].new_offset, plan->extents[i].size,
           old + plan->extents[i].old_offset);
  for (size_t i = 0; i < *n; i++)
    pieces[i].old = pieces[i].bytes;
  for (size_t i = 0; i < plan->n_patches; i++)
    cover (pieces, *n, plan->patches[i].offset, plan->patches[i].size,
           plan->patches[i].bytes);
  if (sframe != NULL)
    cover (pieces, *n, plan->sframe_offset, plan->sframe_size, sframe);
  return pieces;
}
