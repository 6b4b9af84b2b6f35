/* Finding .eh_frame, with and without section headers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/image.h"

#include "base/bytes.h"
#include "elf/encoded_pointer.h"

/* Return the end of the last entry of .eh_frame that the search table of
   .eh_frame_hdr points to, or 0 if it cannot be found.  Without section
   headers only this table shows where .eh_frame ends.  */
static uint64_t
last_entry_end (const struct image *image, uint64_t header_address,
                struct cursor *table, uint32_t count)
{
  uint64_t last = 0;
  for (uint32_t i = 0; i < count && !table->failed; i++)
    {
      cursor_u32 (table); /* function start */
      uint64_t fde
          = header_address + (uint64_t)(int64_t)(int32_t)cursor_u32 (table);
      if (fde > last)
        last = fde;
    }
  const uint8_t *length = image_bytes_at (image, last, 4);
  if (table->failed || length == NULL)
    return 0;
  return last + 4 + load_u32 (length, image->big_endian);
}

static bool
find_by_segment (const struct image *image, const GElf_Phdr *segment,
                 struct image_eh_frame *found, struct error *err)
{
  const uint8_t *header
      = image_bytes_at (image, segment->p_vaddr, segment->p_filesz);
  /* ld, gold, lld and mold write this form (LSB Core, section 10.6.2).  */
  if (header == NULL || segment->p_filesz < 12 || header[0] != 1
      || header[1] != (PE_PCREL | PE_SDATA4) || header[2] != PE_UDATA4
      || header[3] != (PE_DATAREL | PE_SDATA4))
    return error_set_at (err, CFI2SFRAME_UNSUPPORTED, segment->p_offset,
                         ".eh_frame_hdr is damaged or has no search table");
  struct cursor cursor
      = cursor_over (header + 4, segment->p_filesz - 4, image->big_endian);
  uint64_t start = segment->p_vaddr + 4
                   + (uint64_t)(int64_t)(int32_t)cursor_u32 (&cursor);
  uint32_t count = cursor_u32 (&cursor);
  if (count == 0)
    return true;
  uint64_t end = last_entry_end (image, segment->p_vaddr, &cursor, count);
  if (end <= start || image_bytes_at (image, start, end - start) == NULL)
    return error_set_at (err, CFI2SFRAME_MALFORMED, segment->p_offset,
                         ".eh_frame_hdr points outside the file");
  found->address = start;
  found->size = end - start;
  found->bytes = image_bytes_at (image, start, found->size);
  return true;
}

static bool
find_by_section (const struct image *image,
                 const struct image_section *section,
                 struct image_eh_frame *found, struct error *err)
{
  const GElf_Shdr *header = &section->header;
  if (header->sh_type == SHT_NOBITS || header->sh_size == 0)
    return true;
  if (header->sh_type != SHT_PROGBITS && header->sh_type != SHT_X86_64_UNWIND)
    return error_set_at (err, CFI2SFRAME_UNSUPPORTED, header->sh_offset,
                         ".eh_frame has the unknown section type 0x%x",
                         (unsigned)header->sh_type);
  if (header->sh_flags & SHF_COMPRESSED)
    return error_set_at (err, CFI2SFRAME_UNSUPPORTED, header->sh_offset,
                         ".eh_frame is compressed");
  found->address = header->sh_addr;
  found->bytes = image_section_bytes (image, section);
  found->size = header->sh_size;
  return true;
}

bool
image_find_eh_frame (const struct image *image, struct image_eh_frame *found,
                     struct error *err)
{
  *found = (struct image_eh_frame){ 0 };
  const GElf_Phdr *segment = image_find_segment (image, PT_GNU_EH_FRAME);
  const struct image_section *header
      = image_find_section (image, ".eh_frame_hdr");
  if (header != NULL)
    found->header_size = header->header.sh_size;
  else if (segment != NULL)
    found->header_size = segment->p_filesz;

  const struct image_section *section
      = image_find_section (image, ".eh_frame");
  if (section != NULL)
    return find_by_section (image, section, found, err);
  if (image->n_sections == 0 && segment != NULL)
    return find_by_segment (image, segment, found, err);
  return true;
}
