/* Comparing parts of the new file with those of the old one.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "write/inject_check.h"

#include <string.h>

enum
{
  /* Up to this size every byte of every section is compared.  In larger files
     sections that one extent of the plan copies are not.  */
  COMPARE_MAX = 8 << 20
};

bool
check_violated (const struct check *check, const char *what, const char *name)
{
  return error_set (check->err, CFI2SFRAME_REFUSED,
                    "self-check of the new file failed: %s%s%.60s", what,
                    name[0] ? " " : "", name);
}

/* Whether [OFFSET, + SIZE) of the new file is touched by a patch.  */
static bool
touches_patch (const struct check *check, uint64_t offset, uint64_t size)
{
  for (size_t i = 0; i < check->plan->n_patches; i++)
    {
      const struct layout_patch *patch = &check->plan->patches[i];
      if (patch->offset < offset + size
          && patch->offset + patch->size > offset)
        return true;
    }
  return false;
}

bool
check_is_copied (const struct check *check, uint64_t old_offset,
                 uint64_t new_offset, uint64_t size)
{
  for (size_t i = 0; i < check->plan->n_extents; i++)
    {
      const struct layout_extent *extent = &check->plan->extents[i];
      if (old_offset >= extent->old_offset
          && old_offset + size <= extent->old_offset + extent->size
          && new_offset - old_offset
                 == extent->new_offset - extent->old_offset)
        return true;
    }
  return false;
}

bool
check_same_bytes (const struct check *check, uint64_t old_offset,
                  uint64_t new_offset, uint64_t size)
{
  if (new_offset > check->after->size
      || size > check->after->size - new_offset)
    return false;
  if (check->before->size > COMPARE_MAX
      && check_is_copied (check, old_offset, new_offset, size)
      && !touches_patch (check, new_offset, size))
    return true;
  return memcmp (check->before->bytes + old_offset,
                 check->after->bytes + new_offset, size)
         == 0;
}

/* The first patch in [BEGIN, END) of the new file, or NULL.  */
static const struct layout_patch *
next_patch (const struct check *check, uint64_t begin, uint64_t end)
{
  const struct layout_patch *next = NULL;
  for (size_t i = 0; i < check->plan->n_patches; i++)
    {
      const struct layout_patch *patch = &check->plan->patches[i];
      if (patch->offset < end && patch->offset + patch->size > begin
          && (next == NULL || patch->offset < next->offset))
        next = patch;
    }
  return next;
}

bool
check_same_but_patched (const struct check *check, uint64_t old_offset,
                        uint64_t new_offset, uint64_t size)
{
  uint64_t at = new_offset, end = new_offset + size;
  while (at < end)
    {
      const struct layout_patch *patch = next_patch (check, at, end);
      uint64_t stop = patch == NULL ? end : patch->offset;
      if (stop > at
          && !check_same_bytes (check, old_offset + (at - new_offset), at,
                                stop - at))
        return false;
      at = patch == NULL ? end : patch->offset + patch->size;
    }
  return true;
}

bool
check_is_loaded (const struct check *check, uint64_t offset, uint64_t address,
                 uint64_t size)
{
  for (size_t i = 0; i < check->after->n_segments; i++)
    {
      const GElf_Phdr *load = &check->after->segments[i];
      if (load->p_type == PT_LOAD && address >= load->p_vaddr
          && address - load->p_vaddr == offset - load->p_offset
          && address - load->p_vaddr <= load->p_filesz
          && size <= load->p_filesz - (address - load->p_vaddr))
        return true;
    }
  return false;
}
