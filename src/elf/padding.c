/* Deciding which bytes between functions are padding.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/padding.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/radix.h"
#include "base/search.h"
#include "elf/symbols.h"

enum
{
  ALIGNMENT = PADDING_MAX + 1, /* of most functions */
  LARGE_ALIGNMENT = 64         /* of some */
};

/* ---- Symbols */

static bool
add_start (struct padding_finder *finder, uint64_t address)
{
  if (!ARRAY_ROOM (finder->starts, finder->n_starts + 1, &finder->capacity))
    return false;
  finder->starts[finder->n_starts++] = address;
  return true;
}

bool
padding_finder_init (struct padding_finder *finder, const struct image *image,
                     struct error *err)
{
  struct symbol_walk walk = symbol_walk_over (image, false);
  struct symbol symbol;
  *finder = (struct padding_finder){
    .image = image,
    .patterns = arch_patterns_of (image->header.e_machine),
  };
  /* Only symbols in code matter.  The start of a section counts as well,
     because code begins there.  */
  while (symbol_walk_next (&walk, &symbol))
    if (symbol_has_address (&symbol)
        && image_is_executable (image, symbol.value, 0)
        && !add_start (finder, symbol.value))
      return error_set_no_memory (err);
  FOR_EACH_SECTION (section, image)
    if ((section->header.sh_flags & SHF_ALLOC) != 0
        && !add_start (finder, section->header.sh_addr))
      return error_set_no_memory (err);
  return RADIX_SORT (finder->starts, finder->n_starts)
         || error_set_no_memory (err);
}

void
padding_finder_free (struct padding_finder *finder)
{
  free (finder->starts);
  *finder = (struct padding_finder){ 0 };
}

/* Return the index of the first start at ADDRESS or above.  */
static size_t
search_start (const struct padding_finder *finder, uint64_t address)
{
  return SEARCH_FIRST (finder->n_starts, i, finder->starts[i] >= address);
}

/* Do as search_start, but begin at the last result, because most addresses
   ascend from call to call.  */
static size_t
find_start (struct padding_finder *finder, uint64_t address)
{
  enum
  {
    STEPS = 8
  };
  size_t at = finder->next, n = finder->n_starts;
  for (unsigned i = 0; i < STEPS && at < n && finder->starts[at] < address;
       i++)
    at++;
  if ((at < n && finder->starts[at] < address)
      || (at > 0 && finder->starts[at - 1] >= address))
    at = search_start (finder, address);
  finder->next = at;
  return at;
}

/* Return start INDEX, or UINT64_MAX after the last one.  */
static uint64_t
start_address (const struct padding_finder *finder, size_t index)
{
  return index < finder->n_starts ? finder->starts[index] : UINT64_MAX;
}

/* ---- Instructions */

/* Return how many of the SIZE bytes at ADDRESS are padding instructions, up to
   the first other one.  *FIRST is the size of the first of them.  */
static uint64_t
padding_run (const struct padding_finder *finder, uint64_t address,
             uint64_t size, size_t *first)
{
  const uint8_t *at = image_bytes_at (finder->image, address, size);
  const struct arch_patterns *patterns = finder->patterns;
  uint64_t run = 0;
  *first = 0;
  while (at != NULL && patterns != NULL && run < size)
    {
      size_t step = patterns->padding (at + run, size - run);
      if (step == 0)
        break;
      if (run == 0)
        *first = step;
      run += step;
    }
  return run;
}

bool
padding_finder_is_padding (const struct padding_finder *finder,
                           uint64_t address, uint64_t size)
{
  size_t first;
  if (size == 0)
    return true;
  return size <= PADDING_MAX
         && start_address (finder, search_start (finder, address)) - address
                >= size
         && padding_run (finder, address, size, &first) == size;
}

uint64_t
padding_finder_run (const struct padding_finder *finder, uint64_t address,
                    uint64_t limit)
{
  uint64_t aligned = (address | (LARGE_ALIGNMENT - 1)) + 1;
  uint64_t end = limit < aligned ? limit : aligned;
  size_t first;
  return end > address ? padding_run (finder, address, end - address, &first)
                       : 0;
}

uint64_t
padding_finder_behind (struct padding_finder *finder, uint64_t address,
                       uint64_t limit)
{
  uint64_t start = start_address (finder, find_start (finder, address));
  uint64_t end = start < limit ? start : limit;
  uint64_t gap = end - address;
  size_t first;
  if (gap <= PADDING_MAX)
    return padding_run (finder, address, gap, &first) == gap ? gap : 0;
  uint64_t aligned = (address | (LARGE_ALIGNMENT - 1)) + 1 - address;
  uint64_t size = gap < LARGE_ALIGNMENT ? gap : aligned;
  uint64_t run = padding_run (finder, address, size, &first);
  return run == size || (address + run) % ALIGNMENT == 0 ? first : 0;
}
