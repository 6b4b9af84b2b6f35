/* The self-check's part about programs that read their own headers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program finds its ELF header by __ehdr_start, and the program headers
   through that.  A conversion does not change the address of __ehdr_start.
   Some then take p_offset for a distance from the ELF header.  Where that led
   to a segment's bytes before, it has to lead to them afterwards.  */

#include "write/inject_check_parts.h"

#include <stdlib.h>

#include "base/bytes.h"

/* Where the file has the bytes at ADDRESS; SIZE_MAX: nowhere.  */
static uint64_t
offset_of (const struct image *image, uint64_t address)
{
  const uint8_t *at = image_bytes_at (image, address, 1);
  return at == NULL ? SIZE_MAX : (uint64_t)(at - image->bytes);
}

/* Have SEEN, a copy of IMAGE, with the N program headers that are loaded at
   address TABLE.  Their offsets, which are distances from BASE, become those
   in the file.  */
static bool
read_headers (struct image *seen, const struct image *image, uint64_t table,
              size_t n, uint64_t base)
{
  size_t size = n * sizeof (Elf64_Phdr);
  const uint8_t *bytes = image_bytes_at (image, table, size);
  Elf_Data from = { .d_buf = (void *)bytes,
                    .d_type = ELF_T_PHDR,
                    .d_version = EV_CURRENT,
                    .d_size = size };
  Elf_Data to = from;
  to.d_buf = seen->segments;
  if (bytes == NULL
      || elf64_xlatetom (&to, &from, image->header.e_ident[EI_DATA]) == NULL)
    return false;
  seen->n_segments = n;
  seen->header.e_phoff = offset_of (image, table);
  for (size_t i = 0; i < n; i++)
    if (image_segment_has_bytes (&seen->segments[i]))
      seen->segments[i].p_offset
          = offset_of (image, base + seen->segments[i].p_offset);
  return true;
}

/* Whether the program headers that the ELF header at address BASE leads to are
   as good as the old file's.  A segment with bytes counts only if its offset
   was its distance from that header: a program could rely on no other.  */
static bool
check_seen_from (const struct check *check, uint64_t base)
{
  const struct image *before = check->before, *after = check->after;
  const uint8_t *header = image_bytes_at (after, base, sizeof (Elf64_Ehdr));
  if (header == NULL)
    return check_violated (check, "no ELF header where it was", "");
  uint64_t table
      = load_u64 (header + offsetof (Elf64_Ehdr, e_phoff), after->big_endian);
  size_t n
      = load_u16 (header + offsetof (Elf64_Ehdr, e_phnum), after->big_endian);
  struct image seen = *after;
  seen.segments = calloc (n + 1, sizeof seen.segments[0]);
  if (seen.segments == NULL)
    return error_set_no_memory (check->err);
  struct check view = *check;
  view.after = &seen;
  bool good = read_headers (&seen, after, base + table, n, base)
              || check_violated (check, "no table where it was", "");
  for (size_t i = 0; good && i < before->n_segments; i++)
    {
      const GElf_Phdr *old = &before->segments[i];
      if (old->p_filesz == 0
          || (image_segment_has_bytes (old)
              && old->p_vaddr - old->p_offset == base))
        good = check_old_segment (&view, old);
    }
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
