/* A set of addresses of code: one bit for each byte of it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/address_set.h"

#include <stdlib.h>

bool
address_set_init (struct address_set *set, const struct image *image)
{
  *set = (struct address_set){ 0 };
  set->parts = calloc (image->n_segments + 1, sizeof *set->parts);
  if (!set->parts)
    return false;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
      if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
        continue;
      struct address_set_part *part = &set->parts[set->n_parts];
      part->start = segment->p_vaddr;
      part->size = segment->p_filesz;
      part->bits = calloc (segment->p_filesz / 64 + 1, sizeof *part->bits);
      if (!part->bits)
        return false;
      set->n_parts++;
    }
  return true;
}

void
address_set_free (struct address_set *set)
{
  for (size_t i = 0; i < set->n_parts; i++)
    free (set->parts[i].bits);
  free (set->parts);
  *set = (struct address_set){ 0 };
}
