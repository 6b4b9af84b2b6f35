/* The new headers: ELF header, program headers, section headers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/headers.h"

#include <string.h>

#include "base/align.h"
#include "base/bytes.h"
#include "place/facts.h"

GElf_Phdr
headers_segment (const struct draft *draft, uint32_t type,
                 struct interval bytes, uint64_t address, uint64_t align)
{
  GElf_Phdr segment = *image_last_load (draft->image);
  segment_move (&segment, bytes.begin - segment.p_offset,
                address - segment.p_vaddr);
  segment.p_type = type;
  segment.p_flags = PF_R;
  segment.p_filesz = segment.p_memsz = bytes.end - bytes.begin;
  segment.p_align = align;
  return segment;
}

GElf_Phdr
headers_sframe_segment (const struct draft *draft)
{
  const struct plan *plan = draft->plan;
  uint64_t begin = plan->sframe_offset;
  return headers_segment (
      draft, PT_GNU_SFRAME,
      (struct interval){ begin, begin + plan->sframe_size },
      plan->sframe_address, 8);
}

/* Have the PT_NOTE that is kept for all notes say so.  */
static void
join_notes (struct draft *draft, const struct gathered_notes *notes)
{
  GElf_Phdr *kept = &draft->segments[notes->segments[0]];
  if (notes->end == 0)
    return;
  uint64_t delta = notes->begin - kept->p_offset;
  segment_move (kept, delta, delta);
  kept->p_filesz = kept->p_memsz = notes->end - notes->begin;
  kept->p_align = notes->align;
}

/* glibc, musl and the kernel require ascending PT_LOADs; the place of
   PT_GNU_SFRAME does not matter.  */
void
headers_add_segments (struct draft *draft, const struct header_slots *slots,
                      const GElf_Phdr *load)
{
  size_t last_load = 0, n = 0;
  join_notes (draft, &slots->notes);
  for (size_t i = 0; i < draft->n_segments; i++)
    if (!slot_is_taken (slots, i))
      {
        draft->segments[n] = draft->segments[i];
        if (draft->segments[n++].p_type == PT_LOAD)
          last_load = n;
      }
  if (load != NULL)
    {
      memmove (&draft->segments[last_load + 1], &draft->segments[last_load],
               (n - last_load) * sizeof draft->segments[0]);
      draft->segments[last_load] = *load;
      n++;
    }
  draft->n_segments = n;
  draft->segments[draft->n_segments] = headers_sframe_segment (draft);
  draft->n_segments++;
  for (size_t i = 0; i < draft->n_segments; i++)
    if (draft->segments[i].p_type == PT_PHDR)
      draft->segments[i].p_filesz = draft->segments[i].p_memsz
          = draft->n_segments * sizeof (Elf64_Phdr);
}

void
headers_add_section (struct draft *draft, const char *name,
                     const GElf_Shdr *header)
{
  draft->new_names[draft->n_new_sections++] = name;
  draft->sections[draft->n_sections++] = *header;
}

/* Where the segments of DRAFT load the byte at OFFSET.  */
static uint64_t
address_of (const struct draft *draft, uint64_t offset)
{
  for (size_t i = 0; i < draft->n_segments; i++)
    {
      const GElf_Phdr *load = &draft->segments[i];
      if (load->p_type == PT_LOAD && offset - load->p_offset < load->p_filesz)
        return load->p_vaddr + (offset - load->p_offset);
    }
  return 0;
}

void
headers_add_bytes (struct draft *draft, const char *name, uint32_t type,
                   struct interval bytes, uint64_t align)
{
  const GElf_Shdr header = { .sh_type = type,
                             .sh_flags = SHF_ALLOC,
                             .sh_addr = address_of (draft, bytes.begin),
                             .sh_offset = bytes.begin,
                             .sh_size = bytes.end - bytes.begin,
                             .sh_addralign = align };
  headers_add_section (draft, name, &header);
}

void
headers_add_sframe_section (struct draft *draft)
{
  GElf_Shdr header = { .sh_type = draft->request->section_type,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = draft->plan->sframe_address,
                       .sh_offset = draft->plan->sframe_offset,
                       .sh_size = draft->plan->sframe_size,
                       .sh_addralign = 8 };
  const struct sframe_place *replaced = draft->request->replaced;
  if (replaced == NULL || replaced->section == 0)
    {
      headers_add_section (draft, ".sframe", &header);
      return;
    }
  header.sh_name = draft->sections[replaced->section].sh_name;
  draft->sections[replaced->section] = header;
  draft->plan->replaced_section = replaced->section;
}

/* A copy of the section name table with the new names behind it.  The old one
   stays as dead bytes, which keeps undoing exact.  */
static bool
write_names (struct draft *draft)
{
  if (draft->image->section_names == 0 || draft->n_new_sections == 0)
    return true;
  GElf_Shdr *names = &draft->sections[draft->image->section_names];
  uint64_t old_size = names->sh_size;
  uint64_t size = old_size;
  for (size_t i = 0; i < draft->n_new_sections; i++)
    size += strlen (draft->new_names[i]) + 1;
  if (size > UINT32_MAX)
    return error_set (draft->err, CFI2SFRAME_REFUSED,
                      "the section name table is too large");
  /* Not an extent: the old table keeps its place too, and an extent may give
     an old byte only one new place.  */
  uint8_t *copy
      = plan_add_patch (draft->plan, draft->end, (size_t)size, draft->err);
  uint64_t old_offset
      = draft->image->sections[draft->image->section_names].header.sh_offset;
  if (copy == NULL)
    return false;
  memcpy (copy, draft->image->bytes + old_offset, (size_t)old_size);
  size_t n_old = draft->n_sections - draft->n_new_sections;
  size_t at = (size_t)old_size;
  for (size_t i = 0; i < draft->n_new_sections; i++)
    {
      size_t length = strlen (draft->new_names[i]) + 1;
      draft->sections[n_old + i].sh_name = (uint32_t)at;
      memcpy (copy + at, draft->new_names[i], length);
      at += length;
    }
  names->sh_offset = draft->end;
  names->sh_size = size;
  draft->end += size;
  return true;
}

/* Write libelf structures of TYPE, SIZE bytes of the file, to OFFSET.  */
static bool
write_encoded (struct draft *draft, Elf_Type type, const void *source,
               size_t size, uint64_t offset)
{
  uint8_t *bytes = plan_add_patch (draft->plan, offset, size, draft->err);
  if (bytes != NULL)
    image_encode (draft->image, type, source, size, bytes);
  return bytes != NULL;
}

/* gABI, "ELF header": a count that does not fit stands in section 0.  */
static void
set_section_count (struct draft *draft)
{
  if (draft->n_sections < SHN_LORESERVE)
    draft->header.e_shnum = (uint16_t)draft->n_sections;
  else
    {
      draft->header.e_shnum = 0;
      draft->sections[0].sh_size = draft->n_sections;
    }
}

static bool
write_sections (struct draft *draft)
{
  if (!write_names (draft) || !align_up_checked (draft->end, 8, &draft->end))
    return false;
  set_section_count (draft);
  draft->header.e_shoff = draft->end;
  size_t size = draft->n_sections * sizeof (Elf64_Shdr);
  draft->end += size;
  return write_encoded (draft, ELF_T_SHDR, draft->sections, size,
                        draft->header.e_shoff);
}

bool
headers_write_header (struct draft *draft, const GElf_Ehdr *header,
                      uint64_t offset)
{
  return write_encoded (draft, ELF_T_EHDR, header, sizeof *header, offset);
}

bool
headers_write_segments (struct draft *draft, const GElf_Phdr *segments,
                        size_t n, uint64_t offset)
{
  return write_encoded (draft, ELF_T_PHDR, segments, n * sizeof *segments,
                        offset);
}

static bool
write_headers (struct draft *draft)
{
  draft->header.e_phnum = (uint16_t)draft->n_segments;
  draft->plan->new_size = draft->end;
  return headers_write_header (draft, &draft->header, 0)
         && headers_write_segments (draft, draft->segments, draft->n_segments,
                                    draft->header.e_phoff);
}

bool
headers_finish_in_place (struct draft *draft)
{
  return write_encoded (draft, ELF_T_SHDR, draft->sections,
                        draft->n_sections * sizeof (Elf64_Shdr),
                        draft->header.e_shoff)
         && write_headers (draft);
}

bool
headers_finish (struct draft *draft)
{
  return write_sections (draft) && write_headers (draft);
}
