/* Searching code for the addresses that it names.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/borders.h"

/* What the instructions of STRETCH name, wherever they may begin.  */
static bool
add_stretch (struct address_list *borders, const struct image_facts *facts,
             const struct code_stretch *stretch,
             const struct insn_decoder *decoder)
{
  uint64_t named;
  for (uint64_t i = 0; i < stretch->size; i++)
    if (insn_may_name (decoder, stretch->bytes + i, stretch->size - i,
                       stretch->start + i, &named)
        && image_bytes_at (facts->image, named, 1)
        && !address_list_add (borders, named))
      return false;
  return true;
}

bool
borders_find (struct address_list *borders, const struct image_facts *facts,
              const struct insn_decoder *decoder)
{
  for (size_t i = 0; i < facts->n_stretches; i++)
    if (!add_stretch (borders, facts, &facts->stretches[i], decoder))
      return false;
  for (size_t i = 0; i < facts->n_relocated; i++)
    if (facts->relocated[i].value != 0
        && !address_list_add (borders, facts->relocated[i].value))
      return false;
  return address_list_sort (borders);
}
