/* The two lists a plan consists of: extents and patches.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "place/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static bool
extents_insert (struct plan *plan, size_t at, const struct plan_extent *extent,
                struct error *err)
{
  if (!ARRAY_ROOM (plan->extents, plan->n_extents + 1,
                   &plan->extents_capacity))
    return error_set_no_memory (err);
  memmove (&plan->extents[at + 1], &plan->extents[at],
           (plan->n_extents - at) * sizeof plan->extents[0]);
  plan->extents[at] = *extent;
  plan->n_extents++;
  return true;
}

static void
extents_remove (struct plan *plan, size_t at)
{
  plan->n_extents--;
  memmove (&plan->extents[at], &plan->extents[at + 1],
           (plan->n_extents - at) * sizeof plan->extents[0]);
}

/* Cut EXTENT, which has bytes in [BEGIN, END), down to its part in front of
   BEGIN and return the part at and behind END.  Either may be empty.  */
static struct plan_extent
extent_split (struct plan_extent *extent, uint64_t begin, uint64_t end)
{
  uint64_t extent_end = extent->new_offset + extent->size;
  struct plan_extent tail = { 0 };
  if (extent_end > end)
    {
      uint64_t skip = end - extent->new_offset;
      tail.old_offset = extent->old_offset + skip;
      tail.new_offset = extent->new_offset + skip;
      tail.size = extent->size - skip;
    }
  extent->size = begin > extent->new_offset ? begin - extent->new_offset : 0;
  return tail;
}

bool
plan_clear (struct plan *plan, uint64_t offset, uint64_t size,
            struct error *err)
{
  uint64_t end = offset + size;
  for (size_t i = 0; i < plan->n_extents;)
    {
      struct plan_extent *extent = &plan->extents[i];
      if (extent->new_offset >= end
          || extent->new_offset + extent->size <= offset)
        {
          i++;
          continue;
        }
      struct plan_extent tail = extent_split (extent, offset, end);
      if (extent->size > 0)
        i++;
      else
        extents_remove (plan, i);
      if (tail.size > 0 && !extents_insert (plan, i++, &tail, err))
        return false;
    }
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
  size_t at = 0;
  while (at < plan->n_extents && plan->extents[at].new_offset < new_offset)
    at++;
  struct plan_extent extent = { old_offset, new_offset, size };
  return extents_insert (plan, at, &extent, err);
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
