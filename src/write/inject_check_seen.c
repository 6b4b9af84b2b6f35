/* The self-check's part about programs that read their own headers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program finds its ELF header by __ehdr_start, and the program headers
   through that.  A conversion does not change the address of __ehdr_start.
   Some then take p_offset for a distance from the ELF header.  Where that led
   to a segment's bytes before, it has to lead to them afterwards.  */

#include "write/inject_check_parts.h"

#include <stdlib.h>
#include <string.h>

/* Where the file has the bytes at ADDRESS; SIZE_MAX: nowhere.  */
static uint64_t
offset_of (const struct image *image, uint64_t address)
{
  const uint8_t *at = image_bytes_at (image, address, 1);
  return at == NULL ? SIZE_MAX : (uint64_t)(at - image->bytes);
}

/* Read SIZE bytes, which are of TYPE, that IMAGE loads at ADDRESS.  */
static bool
read_loaded (const struct image *image, uint64_t address, Elf_Type type,
             void *to, size_t size)
{
  Elf_Data from = { .d_buf = (void *)image_bytes_at (image, address, size),
                    .d_type = type,
                    .d_version = EV_CURRENT,
                    .d_size = size };
  Elf_Data into = from;
  into.d_buf = to;
  return from.d_buf != NULL
         && elf64_xlatetom (&into, &from, image->header.e_ident[EI_DATA])
                != NULL;
}

/* Have SEEN, a copy of IMAGE, with the program headers that its ELF header
   leads to from address BASE.  Their offsets, which are distances from BASE,
   become those in the file.  */
static bool
read_segments (struct image *seen, const struct image *image, uint64_t base)
{
  uint64_t table = base + seen->header.e_phoff;
  seen->n_segments = seen->header.e_phnum;
  seen->header.e_phoff = offset_of (image, table);
  if (!read_loaded (image, table, ELF_T_PHDR, seen->segments,
                    seen->n_segments * sizeof (Elf64_Phdr)))
    return false;
  for (size_t i = 0; i < seen->n_segments; i++)
    if (image_segment_has_bytes (&seen->segments[i]))
      seen->segments[i].p_offset
          = offset_of (image, base + seen->segments[i].p_offset);
  return true;
}

/* Whether the segments that the old file's ELF header, at address BASE, led to
   are in SEEN.  A segment with bytes counts only if its offset was its
   distance from that header: a program could rely on no other.  */
static bool
check_segments_seen (const struct check *check, const struct image *seen,
                     uint64_t base)
{
  struct check view = *check;
  view.after = seen;
  FOR_EACH_SEGMENT (old, check->before)
    if ((old->p_filesz == 0
         || (image_segment_has_bytes (old)
             && old->p_vaddr - old->p_offset == base))
        && !check_old_segment (&view, old))
      return false;
  return true;
}

/* Whether the ELF header at address BASE says what the file's says, but for
   program headers, and these are as good as the old file's.  */
static bool
check_seen_from (const struct check *check, uint64_t base)
{
  const struct image *after = check->after;
  struct image seen = *after;
  if (!read_loaded (after, base, ELF_T_EHDR, &seen.header, sizeof seen.header))
    return check_violated (check, "no ELF header where it was", "");
  GElf_Ehdr expected = after->header;
  expected.e_phoff = seen.header.e_phoff;
  expected.e_phnum = seen.header.e_phnum;
  if (memcmp (&expected, &seen.header, sizeof expected) != 0)
    return check_violated (check, "other ELF header in memory", "");
  seen.segments = calloc (seen.header.e_phnum + 1u, sizeof seen.segments[0]);
  if (seen.segments == NULL)
    return error_set_no_memory (check->err);
  bool good = read_segments (&seen, after, base)
                  ? check_segments_seen (check, &seen, base)
                  : check_violated (check, "no table where it was", "");
  free (seen.segments);
  return good;
}

bool
check_seen_from_memory (const struct check *check)
{
  FOR_EACH_LOAD (load, check->before)
    if (load->p_offset == 0 && load->p_filesz >= sizeof (Elf64_Ehdr))
      return check_seen_from (check, load->p_vaddr);
  return true;
}
