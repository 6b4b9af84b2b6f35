/* Searching code for the addresses that it names.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/borders.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"

static bool
add (struct borders *borders, uint64_t address)
{
  if (!ARRAY_ROOM (borders->addresses, borders->n + 1, &borders->capacity))
    return false;
  borders->addresses[borders->n++] = address;
  return true;
}

/* What the instructions of SEGMENT name, wherever they may begin.  */
static bool
add_segment (struct borders *borders, const struct image_facts *facts,
             const struct code_segment *segment,
             const struct insn_decoder *decoder)
{
  uint64_t named;
  for (uint64_t i = 0; i < segment->size; i++)
    if (insn_may_name (decoder, segment->bytes + i, segment->size - i,
                       segment->start + i, &named)
        && image_bytes_at (facts->image, named, 1) && !add (borders, named))
      return false;
  return true;
}

/* Sort, and keep one of those that are equal.  */
static bool
settle (struct borders *borders)
{
  size_t n = 0;
  void *sorted = borders->addresses;
  if (!radix_sort (&sorted, borders->n, sizeof *borders->addresses))
    return false;
  borders->addresses = sorted;
  for (size_t i = 0; i < borders->n; i++)
    if (n == 0 || borders->addresses[i] != borders->addresses[n - 1])
      borders->addresses[n++] = borders->addresses[i];
  borders->n = n;
  return true;
}

bool
borders_find (struct borders *borders, const struct image_facts *facts,
              const struct insn_decoder *decoder)
{
  for (size_t i = 0; i < facts->n_segments; i++)
    if (!add_segment (borders, facts, &facts->segments[i], decoder))
      return false;
  for (size_t i = 0; i < facts->n_relocated; i++)
    if (facts->relocated[i].value != 0
        && !add (borders, facts->relocated[i].value))
      return false;
  return settle (borders);
}

void
borders_free (struct borders *borders)
{
  free (borders->addresses);
  *borders = (struct borders){ 0 };
}

uint64_t
borders_next (const struct borders *borders, uint64_t address)
{
  size_t at = SEARCH_FIRST (borders->n, i, borders->addresses[i] > address);
  return at < borders->n ? borders->addresses[at] : UINT64_MAX;
}
