/* The new headers: ELF header, program headers, section headers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/layout_job.h"

#include <string.h>

#include "base/bytes.h"

bool
slots_have_taken (const struct header_slots *slots, size_t index)
{
  for (size_t i = 0; i < slots->n_taken; i++)
    if (slots->taken[i] == index)
      return true;
  return false;
}

/* paddr - vaddr of the segment that .sframe is in.  */
static uint64_t
physical_delta (const struct layout_job *job)
{
  uint64_t address = job->plan->sframe_address;
  for (size_t i = 0; i < job->n_segments; i++)
    {
      const GElf_Phdr *load = &job->segments[i];
      if (load->p_type == PT_LOAD && address >= load->p_vaddr
          && address - load->p_vaddr < load->p_memsz)
        return load->p_paddr - load->p_vaddr;
    }
  return 0;
}

static void
join_notes (struct layout_job *job, const struct header_slots *slots)
{
  const struct gathered_notes *notes = &slots->notes;
  GElf_Phdr *kept = &job->segments[notes->kept];
  if (notes->size == 0)
    return;
  kept->p_offset = notes->offset;
  kept->p_vaddr = notes->address;
  kept->p_paddr = notes->physical;
  kept->p_filesz = kept->p_memsz = notes->size;
  kept->p_align = notes->align;
}

/* glibc, musl and the kernel want PT_LOADs ascending; the place of
   PT_GNU_SFRAME does not matter.  */
void
table_add_headers (struct layout_job *job, const struct header_slots *slots,
                   const GElf_Phdr *load)
{
  size_t last_load = 0, n = 0;
  join_notes (job, slots);
  for (size_t i = 0; i < job->n_segments; i++)
    if (!slots_have_taken (slots, i))
      {
        job->segments[n] = job->segments[i];
        if (job->segments[n++].p_type == PT_LOAD)
          last_load = n;
      }
  if (load != NULL)
    {
      memmove (&job->segments[last_load + 1], &job->segments[last_load],
               (n - last_load) * sizeof job->segments[0]);
      job->segments[last_load] = *load;
      n++;
    }
  job->n_segments = n;
  GElf_Phdr sframe = { .p_type = PT_GNU_SFRAME,
                       .p_flags = PF_R,
                       .p_offset = job->plan->sframe_offset,
                       .p_vaddr = job->plan->sframe_address,
                       .p_filesz = job->plan->sframe_size,
                       .p_memsz = job->plan->sframe_size,
                       .p_align = 8 };
  sframe.p_paddr = sframe.p_vaddr + physical_delta (job);
  job->segments[job->n_segments++] = sframe;
  for (size_t i = 0; i < job->n_segments; i++)
    if (job->segments[i].p_type == PT_PHDR)
      job->segments[i].p_filesz = job->segments[i].p_memsz
          = job->n_segments * sizeof (Elf64_Phdr);
}

void
table_add_section (struct layout_job *job, const char *name,
                   const GElf_Shdr *header)
{
  if (job->n_sections == 0)
    return;
  job->new_names[job->n_new_sections++] = name;
  job->sections[job->n_sections++] = *header;
}

void
table_add_sframe_section (struct layout_job *job)
{
  GElf_Shdr header = { .sh_type = job->request->section_type,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = job->plan->sframe_address,
                       .sh_offset = job->plan->sframe_offset,
                       .sh_size = job->plan->sframe_size,
                       .sh_addralign = 8 };
  const struct layout_replaced *replaced = job->request->replaced;
  if (replaced == NULL || replaced->section == 0)
    {
      table_add_section (job, ".sframe", &header);
      return;
    }
  header.sh_name = job->sections[replaced->section].sh_name;
  job->sections[replaced->section] = header;
  job->plan->replaced_section = replaced->section;
}

/* A copy of the section name table with the new names behind it.  The old one
   stays as dead bytes, which keeps undoing exact.  */
static bool
write_names (struct layout_job *job)
{
  if (job->image->section_names == 0 || job->n_new_sections == 0)
    return true;
  GElf_Shdr *names = &job->sections[job->image->section_names];
  uint64_t old_size = names->sh_size;
  uint64_t size = old_size;
  for (size_t i = 0; i < job->n_new_sections; i++)
    size += strlen (job->new_names[i]) + 1;
  if (size > UINT32_MAX)
    return error_set (job->err, CFI2SFRAME_REFUSED,
                      "the section name table is too large");
  uint8_t *added = plan_patch (job->plan, job->end + old_size,
                               (size_t)(size - old_size), job->err);
  uint64_t old_offset
      = job->image->sections[job->image->section_names].header.sh_offset;
  if (added == NULL)
    return false;
  /* Not an extent: the old table keeps its place too, and an extent may give
     an old byte only one new place.  */
  uint8_t *copy = plan_patch (job->plan, job->end, (size_t)old_size, job->err);
  if (copy == NULL)
    return false;
  memcpy (copy, job->image->bytes + old_offset, (size_t)old_size);
  size_t n_old = job->n_sections - job->n_new_sections;
  for (size_t i = 0; i < job->n_new_sections; i++)
    {
      size_t length = strlen (job->new_names[i]) + 1;
      memcpy (added, job->new_names[i], length);
      job->sections[n_old + i].sh_name = (uint32_t)old_size;
      added += length;
      old_size += length;
    }
  names->sh_offset = job->end;
  names->sh_size = size;
  job->end += size;
  return true;
}

/* Encode COUNT libelf structures of TYPE into SIZE bytes at OFFSET.  */
static bool
write_encoded (struct layout_job *job, Elf_Type type, const void *source,
               size_t size, uint64_t offset)
{
  uint8_t *bytes = plan_patch (job->plan, offset, size, job->err);
  if (bytes == NULL)
    return false;
  Elf_Data from = { .d_buf = (void *)source,
                    .d_type = type,
                    .d_version = EV_CURRENT,
                    .d_size = size };
  Elf_Data to = {
    .d_buf = bytes, .d_type = type, .d_version = EV_CURRENT, .d_size = size
  };
  if (elf64_xlatetof (&to, &from, job->image->header.e_ident[EI_DATA]) == NULL)
    return error_set (job->err, CFI2SFRAME_MALFORMED, "libelf: %s",
                      elf_errmsg (-1));
  return true;
}

/* gABI, "ELF header": a count that does not fit stands in section 0.  */
static void
set_section_count (struct layout_job *job)
{
  if (job->n_sections < SHN_LORESERVE)
    job->header.e_shnum = (uint16_t)job->n_sections;
  else
    {
      job->header.e_shnum = 0;
      job->sections[0].sh_size = job->n_sections;
    }
}

static bool
write_sections (struct layout_job *job)
{
  if (job->n_sections == 0)
    return true;
  if (!write_names (job) || !round_up (job->end, 8, &job->end))
    return false;
  set_section_count (job);
  job->header.e_shoff = job->end;
  size_t size = job->n_sections * sizeof (Elf64_Shdr);
  job->end += size;
  return write_encoded (job, ELF_T_SHDR, job->sections, size,
                        job->header.e_shoff);
}

bool
table_finish_in_place (struct layout_job *job)
{
  job->header.e_phnum = (uint16_t)job->n_segments;
  job->plan->new_size = job->end;
  return write_encoded (job, ELF_T_EHDR, &job->header, sizeof job->header, 0)
         && write_encoded (job, ELF_T_PHDR, job->segments,
                           job->n_segments * sizeof job->segments[0],
                           job->header.e_phoff)
         && write_encoded (job, ELF_T_SHDR, job->sections,
                           job->n_sections * sizeof (Elf64_Shdr),
                           job->header.e_shoff);
}

bool
table_finish (struct layout_job *job)
{
  job->header.e_phnum = (uint16_t)job->n_segments;
  if (!write_sections (job)
      || !write_encoded (job, ELF_T_EHDR, &job->header, sizeof job->header, 0)
      || !write_encoded (job, ELF_T_PHDR, job->segments,
                         job->n_segments * sizeof job->segments[0],
                         job->header.e_phoff))
    return false;
  job->plan->new_size = job->end;
  return true;
}
