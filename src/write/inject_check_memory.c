/* The self-check's part about programs that read their own headers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program finds its ELF header by __ehdr_start, whose address is the same
   after conversion, and the program headers through that.  Some then take
   p_offset for a distance from the ELF header.  Where that led to a segment's
   bytes before, it has to lead to them afterwards.  */

#include "write/inject_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* The address of IMAGE's ELF header; false if it is not loaded.  */
static bool
header_address (const struct image *image, uint64_t *address)
{
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (load->p_type == PT_LOAD && load->p_offset == 0
          && load->p_filesz >= sizeof (Elf64_Ehdr))
        {
          *address = load->p_vaddr;
          return true;
        }
    }
  return false;
}

/* Where the file has the bytes at ADDRESS; no such offset: SIZE_MAX.  */
static uint64_t
offset_of (const struct image *image, uint64_t address)
{
  const uint8_t *at = image_bytes_at (image, address, 1);
  return at == NULL ? SIZE_MAX : (uint64_t)(at - image->bytes);
}

/* Read the program headers that the ELF header at address BASE leads to, with
   their offsets in the file in place of those from there.  False if they are
   not loaded.  */
static bool
read_headers (struct image *seen, const struct image *image, uint64_t base,
              struct error *err)
{
  const uint8_t *header = image_bytes_at (image, base, sizeof (Elf64_Ehdr));
  if (header == NULL)
    return false;
  uint64_t table = base
                   + load_u64 (header + offsetof (Elf64_Ehdr, e_phoff),
                               image->big_endian);
  size_t n
      = load_u16 (header + offsetof (Elf64_Ehdr, e_phnum), image->big_endian);
  const uint8_t *bytes
      = image_bytes_at (image, table, n * sizeof (Elf64_Phdr));
  *seen = *image;
  seen->n_segments = 0;
  seen->segments = calloc (n + 1, sizeof seen->segments[0]);
  if (bytes == NULL || seen->segments == NULL)
    return seen->segments != NULL || error_set_no_memory (err);
  Elf_Data from = { .d_buf = (void *)bytes,
                    .d_type = ELF_T_PHDR,
                    .d_version = EV_CURRENT,
                    .d_size = n * sizeof (Elf64_Phdr) };
  Elf_Data to = from;
  to.d_buf = seen->segments;
  if (elf64_xlatetom (&to, &from, image->header.e_ident[EI_DATA]) == NULL)
    return false;
  seen->n_segments = n;
  seen->header.e_phoff = offset_of (image, table);
  for (size_t i = 0; i < n; i++)
    if (image_segment_has_bytes (&seen->segments[i]))
      seen->segments[i].p_offset
          = offset_of (image, base + seen->segments[i].p_offset);
  return true;
}

/* Whether SEGMENT of IMAGE is a segment that is loaded, and its offset a
   distance from the ELF header at BASE.  */
static bool
is_at_distance (const struct image *image, const GElf_Phdr *segment,
                uint64_t base)
{
  const uint8_t *loaded
      = image_bytes_at (image, segment->p_vaddr, segment->p_filesz);
  return image_segment_has_bytes (segment) && segment->p_type != PT_LOAD
         && loaded == image->bytes + segment->p_offset
         && segment->p_vaddr - segment->p_offset == base;
}

bool
check_seen_from_memory (const struct check *check)
{
  uint64_t base;
  struct image seen = { 0 };
  struct check view = *check;
  bool good = true;
  if (!header_address (check->before, &base))
    return true;
  view.after = &seen;
  if (!read_headers (&seen, check->after, base, check->err))
    good = check->err->status != CFI2SFRAME_NO_MEMORY
           && check_violated (check, "no ELF header where it was", "");
  for (size_t i = 0; good && i < check->before->n_segments; i++)
    if (is_at_distance (check->before, &check->before->segments[i], base))
      good = check_old_segment (&view, &check->before->segments[i]);
  free (seen.segments);
  return good;
}
