/* The self-check: comparing bytes and headers of the new file with the old
   ones.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "write/inject_check_parts.h"

#include <string.h>

enum
{
  /* In files up to this size every byte is compared.  In larger files a block
     that one extent of the plan has copied is compared only by its first
     bytes: these are zero if the block was not written.  */
  COMPARE_MAX = 8 << 20,
  BLOCK = 1 << 16,
  SAMPLE = 64
};

bool
check_violated (const struct check *check, const char *what, const char *name)
{
  return error_set (check->err, CFI2SFRAME_REFUSED, "%s%s%.60s", what,
                    name[0] ? " " : "", name);
}

/* Whether it is enough to compare the first of SIZE bytes: the file is large,
   and one extent has copied them, without a patch.  */
static bool
is_trusted (const struct check *check, uint64_t old_offset,
            uint64_t new_offset, uint64_t size)
{
  const struct plan *plan = check->plan;
  uint64_t place;
  if (check->before->size <= COMPARE_MAX)
    return false;
  for (size_t i = 0; i < plan->n_patches; i++)
    if (plan->patches[i].offset < new_offset + size
        && plan->patches[i].offset + plan->patches[i].size > new_offset)
      return false;
  return plan_find (plan, old_offset, size, &place) && place == new_offset;
}

bool
check_next_difference (const struct check *check, uint64_t old_offset,
                       uint64_t new_offset, uint64_t size, uint64_t *at)
{
  const uint8_t *old = check->before->bytes + old_offset;
  const uint8_t *new = check->after->bytes + new_offset;
  for (uint64_t n; *at < size; *at += n)
    {
      n = size - *at < BLOCK ? size - *at : BLOCK;
      bool trusted = is_trusted (check, old_offset + *at, new_offset + *at, n);
      uint64_t compared = trusted && n > SAMPLE ? SAMPLE : n;
      if (memcmp (old + *at, new + *at, (size_t)compared) == 0)
        continue;
      while (old[*at] == new[*at])
        ++*at;
      return true;
    }
  return false;
}

bool
check_same_bytes (const struct check *check, uint64_t old_offset,
                  uint64_t new_offset, uint64_t size)
{
  uint64_t at = 0;
  return new_offset <= check->after->size
         && size <= check->after->size - new_offset
         && !check_next_difference (check, old_offset, new_offset, size, &at);
}

bool
check_same_header (GElf_Phdr expected, const GElf_Phdr *after)
{
  if (expected.p_paddr == expected.p_vaddr)
    expected.p_paddr = after->p_vaddr;
  expected.p_vaddr = after->p_vaddr;
  expected.p_offset = after->p_offset;
  return memcmp (&expected, after, sizeof expected) == 0;
}

GElf_Phdr
check_new_segment (const struct image *before, uint32_t type, uint64_t offset,
                   uint64_t address, uint64_t size, uint64_t align)
{
  GElf_Phdr expected = { 0 };
  FOR_EACH_LOAD (last, before)
    expected = *last;
  if (expected.p_paddr == expected.p_vaddr)
    expected.p_paddr = address;
  expected.p_type = type;
  expected.p_flags = PF_R;
  expected.p_offset = offset;
  expected.p_vaddr = address;
  expected.p_filesz = expected.p_memsz = size;
  expected.p_align = align;
  return expected;
}

bool
check_is_loaded (const struct image *image, uint64_t offset, uint64_t address,
                 uint64_t size)
{
  const uint8_t *bytes = image_bytes_at (image, address, size);
  return bytes != NULL && (uint64_t)(bytes - image->bytes) == offset;
}
