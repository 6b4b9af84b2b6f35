/* The new headers: ELF header, program headers, section headers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/headers.h"

#include <errno.h>
#include <string.h>

#include "base/align.h"
#include "base/bytes.h"

bool
slots_have_taken (const struct header_slots *slots, size_t index)
{
  for (size_t i = 0; i < slots->n_taken; i++)
    if (slots->taken[i] == index)
      return true;
  return false;
}

uint64_t
table_old_end (const struct placing *placing)
{
  return placing->image->header.e_phoff
         + placing->image->n_segments * sizeof (Elf64_Phdr);
}

void
slots_set_table_end (const struct placing *placing, struct header_slots *slots)
{
  slots->table_end = table_old_end (placing)
                     + slots->n_added * sizeof (Elf64_Phdr)
                     - slots->n_taken * sizeof (Elf64_Phdr);
}

/* paddr - vaddr of the segment that .sframe is in.  */
static uint64_t
physical_delta (const struct placing *placing)
{
  uint64_t address = placing->plan->sframe_address;
  for (size_t i = 0; i < placing->n_segments; i++)
    {
      const GElf_Phdr *load = &placing->segments[i];
      if (load->p_type == PT_LOAD && address >= load->p_vaddr
          && address - load->p_vaddr < load->p_memsz)
        return load->p_paddr - load->p_vaddr;
    }
  return 0;
}

static void
join_notes (struct placing *placing, const struct header_slots *slots)
{
  const struct gathered_notes *notes = &slots->notes;
  GElf_Phdr *kept = &placing->segments[notes->kept];
  if (notes->size == 0)
    return;
  kept->p_offset = notes->offset;
  kept->p_vaddr = notes->address;
  kept->p_paddr = notes->physical;
  kept->p_filesz = kept->p_memsz = notes->size;
  kept->p_align = notes->align;
}

/* glibc, musl and the kernel require ascending PT_LOADs; the place of
   PT_GNU_SFRAME does not matter.  */
void
table_add_headers (struct placing *placing, const struct header_slots *slots,
                   const GElf_Phdr *load)
{
  size_t last_load = 0, n = 0;
  join_notes (placing, slots);
  for (size_t i = 0; i < placing->n_segments; i++)
    if (!slots_have_taken (slots, i))
      {
        placing->segments[n] = placing->segments[i];
        if (placing->segments[n++].p_type == PT_LOAD)
          last_load = n;
      }
  if (load != NULL)
    {
      memmove (&placing->segments[last_load + 1],
               &placing->segments[last_load],
               (n - last_load) * sizeof placing->segments[0]);
      placing->segments[last_load] = *load;
      n++;
    }
  placing->n_segments = n;
  GElf_Phdr sframe = { .p_type = PT_GNU_SFRAME,
                       .p_flags = PF_R,
                       .p_offset = placing->plan->sframe_offset,
                       .p_vaddr = placing->plan->sframe_address,
                       .p_filesz = placing->plan->sframe_size,
                       .p_memsz = placing->plan->sframe_size,
                       .p_align = 8 };
  sframe.p_paddr = sframe.p_vaddr + physical_delta (placing);
  placing->segments[placing->n_segments++] = sframe;
  for (size_t i = 0; i < placing->n_segments; i++)
    if (placing->segments[i].p_type == PT_PHDR)
      placing->segments[i].p_filesz = placing->segments[i].p_memsz
          = placing->n_segments * sizeof (Elf64_Phdr);
}

void
table_add_section (struct placing *placing, const char *name,
                   const GElf_Shdr *header)
{
  placing->new_names[placing->n_new_sections++] = name;
  placing->sections[placing->n_sections++] = *header;
}

void
table_add_sframe_section (struct placing *placing)
{
  GElf_Shdr header = { .sh_type = placing->request->section_type,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = placing->plan->sframe_address,
                       .sh_offset = placing->plan->sframe_offset,
                       .sh_size = placing->plan->sframe_size,
                       .sh_addralign = 8 };
  const struct layout_replaced *replaced = placing->request->replaced;
  if (replaced == NULL || replaced->section == 0)
    {
      table_add_section (placing, ".sframe", &header);
      return;
    }
  header.sh_name = placing->sections[replaced->section].sh_name;
  placing->sections[replaced->section] = header;
  placing->plan->replaced_section = replaced->section;
}

/* A copy of the section name table with the new names behind it.  The old one
   stays as dead bytes, which keeps undoing exact.  */
static bool
write_names (struct placing *placing)
{
  if (placing->image->section_names == 0 || placing->n_new_sections == 0)
    return true;
  GElf_Shdr *names = &placing->sections[placing->image->section_names];
  uint64_t old_size = names->sh_size;
  uint64_t size = old_size;
  for (size_t i = 0; i < placing->n_new_sections; i++)
    size += strlen (placing->new_names[i]) + 1;
  if (size > UINT32_MAX)
    return error_set (placing->err, CFI2SFRAME_REFUSED,
                      "the section name table is too large");
  uint8_t *added = plan_patch (placing->plan, placing->end + old_size,
                               (size_t)(size - old_size), placing->err);
  uint64_t old_offset = placing->image->sections[placing->image->section_names]
                            .header.sh_offset;
  if (added == NULL)
    return false;
  /* Not an extent: the old table keeps its place too, and an extent may give
     an old byte only one new place.  */
  uint8_t *copy = plan_patch (placing->plan, placing->end, (size_t)old_size,
                              placing->err);
  if (copy == NULL)
    return false;
  memcpy (copy, placing->image->bytes + old_offset, (size_t)old_size);
  size_t n_old = placing->n_sections - placing->n_new_sections;
  for (size_t i = 0; i < placing->n_new_sections; i++)
    {
      size_t length = strlen (placing->new_names[i]) + 1;
      memcpy (added, placing->new_names[i], length);
      placing->sections[n_old + i].sh_name = (uint32_t)old_size;
      added += length;
      old_size += length;
    }
  names->sh_offset = placing->end;
  names->sh_size = size;
  placing->end += size;
  return true;
}

/* Write libelf structures of TYPE, SIZE bytes of the file, to OFFSET.  */
static bool
write_encoded (struct placing *placing, Elf_Type type, const void *source,
               size_t size, uint64_t offset)
{
  uint8_t *bytes = plan_patch (placing->plan, offset, size, placing->err);
  if (bytes == NULL)
    return false;
  Elf_Data from = { .d_buf = (void *)source,
                    .d_type = type,
                    .d_version = EV_CURRENT,
                    .d_size = size };
  Elf_Data to = {
    .d_buf = bytes, .d_type = type, .d_version = EV_CURRENT, .d_size = size
  };
  errno = 0;
  return elf64_xlatetof (&to, &from, placing->image->header.e_ident[EI_DATA])
             != NULL
         || image_libelf_failed (placing->err, CFI2SFRAME_MALFORMED, "libelf");
}

/* gABI, "ELF header": a count that does not fit stands in section 0.  */
static void
set_section_count (struct placing *placing)
{
  if (placing->n_sections < SHN_LORESERVE)
    placing->header.e_shnum = (uint16_t)placing->n_sections;
  else
    {
      placing->header.e_shnum = 0;
      placing->sections[0].sh_size = placing->n_sections;
    }
}

static bool
write_sections (struct placing *placing)
{
  if (!write_names (placing) || !round_up (placing->end, 8, &placing->end))
    return false;
  set_section_count (placing);
  placing->header.e_shoff = placing->end;
  size_t size = placing->n_sections * sizeof (Elf64_Shdr);
  placing->end += size;
  return write_encoded (placing, ELF_T_SHDR, placing->sections, size,
                        placing->header.e_shoff);
}

bool
table_write (struct placing *placing, const GElf_Phdr *segments, size_t n,
             uint64_t offset)
{
  return write_encoded (placing, ELF_T_PHDR, segments, n * sizeof *segments,
                        offset);
}

static bool
write_headers (struct placing *placing)
{
  placing->header.e_phnum = (uint16_t)placing->n_segments;
  placing->plan->new_size = placing->end;
  return write_encoded (placing, ELF_T_EHDR, &placing->header,
                        sizeof placing->header, 0)
         && table_write (placing, placing->segments, placing->n_segments,
                         placing->header.e_phoff);
}

bool
table_finish_in_place (struct placing *placing)
{
  return write_encoded (placing, ELF_T_SHDR, placing->sections,
                        placing->n_sections * sizeof (Elf64_Shdr),
                        placing->header.e_shoff)
         && write_headers (placing);
}

bool
table_finish (struct placing *placing)
{
  return write_sections (placing) && write_headers (placing);
}
