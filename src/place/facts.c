/* Facts of ELF files: pages, the dynamic linker's tables, what may move.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/facts.h"

uint64_t
image_page (const struct image *image)
{
  uint64_t page = PAGE_MIN;
  FOR_EACH_LOAD (load, image)
    if (load->p_align > page)
      page = load->p_align;
  return page <= PAGE_MAX ? page : image->arch->max_page_size;
}

/* The dynamic linker finds each table by its entry.  */
static const struct
{
  uint32_t type;
  int64_t tag;
} tables[] = {
  { SHT_DYNSYM, DT_SYMTAB },     { SHT_STRTAB, DT_STRTAB },
  { SHT_HASH, DT_HASH },         { SHT_GNU_HASH, DT_GNU_HASH },
  { SHT_GNU_versym, DT_VERSYM }, { SHT_GNU_verneed, DT_VERNEED },
  { SHT_GNU_verdef, DT_VERDEF },
};

enum
{
  N_TABLES = sizeof tables / sizeof *tables
};

int64_t
dynamic_tag_of (uint32_t section_type)
{
  for (size_t i = 0; i < N_TABLES; i++)
    if (tables[i].type == section_type)
      return tables[i].tag;
  return DT_NULL;
}

bool
dynamic_is_table (int64_t tag)
{
  for (size_t i = 0; i < N_TABLES; i++)
    if (tables[i].tag == tag)
      return true;
  return false;
}

static bool
is_interpreter (const struct image *image, const GElf_Shdr *header)
{
  const GElf_Phdr *interp = image_find_segment (image, PT_INTERP);
  return interp != NULL && interp->p_offset == header->sh_offset
         && interp->p_filesz == header->sh_size
         && interp->p_vaddr == header->sh_addr;
}

bool
section_kind_may_move (const struct image *image, const GElf_Shdr *header)
{
  return (header->sh_flags & SHF_ALLOC)
         && !(header->sh_flags & (SHF_WRITE | SHF_EXECINSTR))
         && (header->sh_type == SHT_NOTE
             || dynamic_tag_of (header->sh_type) != DT_NULL
             || (header->sh_type == SHT_PROGBITS
                 && is_interpreter (image, header)));
}

bool
segment_kind_may_move (uint32_t type)
{
  return type == PT_NOTE || type == PT_INTERP || type == PT_GNU_PROPERTY;
}

void
segment_move (GElf_Phdr *segment, uint64_t offset, uint64_t address)
{
  if (segment->p_paddr == segment->p_vaddr)
    segment->p_paddr += address;
  segment->p_vaddr += address;
  segment->p_offset += offset;
}
