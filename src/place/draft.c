/* What all strategies do with a draft: they begin and end it, add headers, and
   have what names sections by their address follow those that moved.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/symbols.h"

enum
{
  MOVED_SYMBOLS_MAX = 4096 /* a handful is usual */
};

bool
draft_open (struct draft *draft)
{
  const struct image *image = draft->image;
  draft->header = image->header;
  draft->n_segments = image->n_segments;
  draft->n_sections = image->n_sections;
  draft->end = image->size;
  draft->segments = calloc (image->n_segments + NEW_HEADERS_MAX,
                            sizeof draft->segments[0]);
  draft->sections = calloc (image->n_sections + NEW_SECTIONS_MAX,
                            sizeof draft->sections[0]);
  draft->moved = calloc (image->n_sections + 1, sizeof draft->moved[0]);
  if (draft->segments == NULL || draft->sections == NULL
      || draft->moved == NULL)
    return error_set_no_memory (draft->err);
  memcpy (draft->segments, image->segments,
          image->n_segments * sizeof draft->segments[0]);
  for (size_t i = 0; i < image->n_sections; i++)
    draft->sections[i] = image->sections[i].header;
  return plan_copy (draft->plan, 0, 0, image->size, draft->err);
}

void
draft_close (struct draft *draft)
{
  free (draft->segments);
  free (draft->sections);
  free (draft->moved);
}

bool
draft_impossible (const struct draft *draft, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  vsnprintf (draft->reason, REASON_SIZE, fmt, args);
  va_end (args);
  return false;
}

bool
draft_may_shift (struct draft *draft, uint64_t from)
{
  draft->unaccounted = !owners_account_for_all (draft->image, from);
  return !draft->unaccounted
         || draft_impossible (draft, "bytes that no header accounts for would "
                                     "move");
}

bool
segment_set_has (const struct segment_set *set, size_t index)
{
  for (size_t i = 0; i < set->n; i++)
    if (set->indices[i] == index)
      return true;
  return false;
}

void
segment_set_take (const struct image *image, struct segment_set *set,
                  size_t limit, uint32_t type)
{
  for (size_t i = 0; i < image->n_segments && set->n < limit; i++)
    if (image->segments[i].p_type == type)
      set->indices[set->n++] = i;
}

/* ---- New headers */

GElf_Phdr
draft_new_segment (const struct draft *draft, uint32_t type,
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
draft_sframe_segment (const struct draft *draft)
{
  const struct plan *plan = draft->plan;
  uint64_t begin = plan->sframe_offset;
  return draft_new_segment (
      draft, PT_GNU_SFRAME,
      (struct interval){ begin, begin + plan->sframe_size },
      plan->sframe_address, 8);
}

/* glibc, musl and the kernel require ascending PT_LOADs; the place of
   PT_GNU_SFRAME does not matter.  */
void
draft_add_segments (struct draft *draft, const struct segment_set *taken,
                    const GElf_Phdr *load)
{
  size_t last_load = 0, n = 0;
  for (size_t i = 0; i < draft->n_segments; i++)
    if (!segment_set_has (taken, i))
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
  draft->segments[n++] = draft_sframe_segment (draft);
  draft->n_segments = n;
  for (size_t i = 0; i < draft->n_segments; i++)
    if (draft->segments[i].p_type == PT_PHDR)
      draft->segments[i].p_filesz = draft->segments[i].p_memsz
          = draft->n_segments * sizeof (Elf64_Phdr);
}

void
draft_add_section (struct draft *draft, const char *name,
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
draft_add_bytes (struct draft *draft, const char *name, uint32_t type,
                 struct interval bytes, uint64_t align)
{
  const GElf_Shdr header = { .sh_type = type,
                             .sh_flags = SHF_ALLOC,
                             .sh_addr = address_of (draft, bytes.begin),
                             .sh_offset = bytes.begin,
                             .sh_size = bytes.end - bytes.begin,
                             .sh_addralign = align };
  draft_add_section (draft, name, &header);
}

void
draft_add_sframe_section (struct draft *draft)
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
      draft_add_section (draft, ".sframe", &header);
      return;
    }
  header.sh_name = draft->sections[replaced->section].sh_name;
  draft->sections[replaced->section] = header;
  draft->plan->replaced_section = replaced->section;
}

/* ---- What names sections by their address */

static bool
patch_u64 (struct draft *draft, uint64_t old_offset, uint64_t value)
{
  uint64_t offset;
  if (!plan_find (draft->plan, old_offset, sizeof value, &offset))
    return error_set_at (draft->err, CFI2SFRAME_REFUSED, old_offset,
                         "an address that must change lies in bytes that "
                         "have moved");
  uint8_t *bytes
      = plan_add_patch (draft->plan, offset, sizeof value, draft->err);
  if (bytes == NULL)
    return false;
  store_u64 (bytes, value, draft->image->big_endian);
  return true;
}

bool
draft_patch_dynamic (struct draft *draft)
{
  uint64_t at = 0, value;
  int64_t tag;
  while (dynamic_next (draft->image, &at, &tag, &value))
    {
      /* DYNAMIC_TABLES_MAX bounds these (refusals.c), not the others.  */
      if (!dynamic_is_table (tag))
        continue;
      for (size_t i = 1; i < draft->image->n_sections; i++)
        {
          const GElf_Shdr *table = &draft->image->sections[i].header;
          if (draft->moved[i] == 0 || table->sh_addr != value
              || dynamic_tag_of (table->sh_type) != tag)
            continue;
          /* AT is behind the entry; its second word is d_un.  */
          if (!patch_u64 (draft, at - 8, value + draft->moved[i]))
            return false;
          break;
        }
    }
  return true;
}

/* A table is patched only if its entries have the size that programs expect.
   A dynamic symbol is found by name, unless it is that of a section; then the
   section does not move.  */
bool
draft_patch_symbols (struct draft *draft)
{
  const struct image_section *sections = draft->image->sections;
  struct symbol_walk walk = symbol_walk_over (draft->image, false);
  struct symbol symbol;
  size_t n_patches = 0;
  while (symbol_walk_next (&walk, &symbol))
    {
      const GElf_Shdr *table = &sections[walk.table.section].header;
      if (table->sh_entsize != sizeof (Elf64_Sym) || symbol.section == 0
          || draft->moved[symbol.section] == 0
          || (table->sh_type != SHT_SYMTAB
              && ELF64_ST_TYPE (symbol.info) != STT_SECTION)
          || !symbol_is_in_section (&sections[symbol.section].header,
                                    symbol.value))
        continue;
      if (++n_patches > MOVED_SYMBOLS_MAX)
        return error_set (draft->err, CFI2SFRAME_REFUSED,
                          "too many symbols in sections that must move");
      uint64_t at = table->sh_offset + (walk.next - 1) * sizeof (Elf64_Sym)
                    + offsetof (Elf64_Sym, st_value);
      if (!patch_u64 (draft, at, symbol.value + draft->moved[symbol.section]))
        return false;
    }
  return true;
}

/* ---- Writing the headers */

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

bool
draft_write (struct draft *draft, Elf_Type type, const void *source,
             size_t size, uint64_t offset)
{
  uint8_t *bytes = plan_add_patch (draft->plan, offset, size, draft->err);
  if (bytes != NULL)
    image_encode (draft->image, type, source, size, bytes);
  return bytes != NULL;
}

bool
draft_finish (struct draft *draft, bool in_place)
{
  GElf_Ehdr *header = &draft->header;
  size_t size = draft->n_sections * sizeof (Elf64_Shdr);
  if (!in_place)
    {
      if (!write_names (draft)
          || !align_up_checked (draft->end, 8, &draft->end))
        return false;
      header->e_shoff = draft->end;
      draft->end += size;
      /* gABI, "ELF header": a count that does not fit stands in section 0.  */
      bool fits = draft->n_sections < SHN_LORESERVE;
      header->e_shnum = fits ? (uint16_t)draft->n_sections : 0;
      if (!fits)
        draft->sections[0].sh_size = draft->n_sections;
    }
  header->e_phnum = (uint16_t)draft->n_segments;
  draft->plan->new_size = draft->end;
  return draft_write (draft, ELF_T_SHDR, draft->sections, size,
                      header->e_shoff)
         && draft_write (draft, ELF_T_EHDR, header, sizeof *header, 0)
         && draft_write (draft, ELF_T_PHDR, draft->segments,
                         draft->n_segments * sizeof (Elf64_Phdr),
                         header->e_phoff);
}
