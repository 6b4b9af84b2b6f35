/* Where calls end.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/call_finder.h"

enum
{
  CACHE_LINE = 64,
  /* Of longer functions most lines are not looked at.  */
  EXPECTED_MAX = 1024
};

/* Whether the SIZE bytes of CODE, decoded from their start on, end in a call.
   Their last bytes look like one.  */
static bool
ends_in_call (const struct arch *arch, const uint8_t *code, uint64_t size)
{
  bool is_call = false;
  if (arch->instruction_size == NULL)
    return size % arch->smallest_instruction == 0;
  for (uint64_t at = 0; at < size;)
    {
      unsigned step = arch->instruction_size (code + at, size - at, &is_call);
      if (step == 0)
        return true;
      at += step;
    }
  return is_call;
}

/* Take the segment with the byte at ADDRESS.  */
static void
find_segment (struct call_finder *finder, uint64_t address)
{
  const GElf_Phdr *load = image_load_at (finder->image, address);
  if (load == NULL || address - load->p_vaddr >= load->p_filesz)
    return;
  finder->bytes
      = image_bytes_at (finder->image, load->p_vaddr, load->p_filesz);
  finder->address = load->p_vaddr;
  finder->size = finder->bytes != NULL ? load->p_filesz : 0;
}

/* Whether the SIZE bytes of code at FROM, which all lie in the finder's
   segment, end in a call.  */
static inline bool
piece_ends_in_call (const struct call_finder *finder, uint64_t from,
                    uint64_t size)
{
  const uint8_t *code = finder->bytes + (from - finder->address);
  uint64_t target;
  if (!image_may_end_call (finder->image, code, size, from, &target))
    return false;
  return (target != 0 && finder->is_function != NULL
          && finder->is_function (finder->context, target))
         || ends_in_call (finder->image->arch, code, size);
}

/* Whether the finder's segment has the SIZE bytes at START, if need be after
   another one was taken.  */
static bool
has_piece (struct call_finder *finder, uint64_t start, uint64_t size)
{
  if (start - finder->address >= finder->size)
    find_segment (finder, start);
  uint64_t skip = start - finder->address;
  return skip < finder->size && size <= finder->size - skip;
}

bool
call_finder_ends_at (struct call_finder *finder, uint64_t start,
                     uint64_t address)
{
  return has_piece (finder, start, address - start)
         && piece_ends_in_call (finder, start, address - start);
}

size_t
call_finder_first (struct call_finder *finder, uint64_t base,
                   const uint32_t *offsets, size_t n)
{
  if (n < 2 || !has_piece (finder, base, offsets[n - 1]))
    return n;
  const struct arch *arch = finder->image->arch;
  const uint8_t *segment = finder->bytes;
  uint64_t skip = base - finder->address;
  int32_t distance;
  /* Few places have bytes in front of them that look like a call.  That is
     asked first, of the whole segment: where the piece begins matters only to
     those few.  */
  for (size_t i = 1; i < n; i++)
    if (arch->may_end_call (segment, skip + offsets[i], &distance)
        && piece_ends_in_call (finder, base + offsets[i - 1],
                               offsets[i] - offsets[i - 1]))
      return i;
  return n;
}

void
call_finder_expect (const struct call_finder *finder, uint64_t start,
                    uint64_t size)
{
  uint64_t skip = start - finder->address;
  if (skip >= finder->size)
    return;
  if (size > finder->size - skip)
    size = finder->size - skip;
  if (size > EXPECTED_MAX)
    size = EXPECTED_MAX;
  for (uint64_t at = 0; at < size; at += CACHE_LINE)
    __builtin_prefetch (finder->bytes + skip + at);
}
