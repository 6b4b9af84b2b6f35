/* The steps that all strategies take with a layout: begin it, add headers,
   give symbols and dynamic entries the new addresses of moved sections, and
   write the headers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/layout.h"

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
  MOVED_SYMBOLS_MAX = 4096 /* symbols to patch; a handful is usual */
};

bool
layout_init (struct layout *layout)
{
  const struct image *image = layout->image;
  layout->header = image->header;
  layout->n_segments = image->n_segments;
  layout->n_sections = image->n_sections;
  layout->end = image->size;
  layout->segments = calloc (image->n_segments + NEW_HEADERS_MAX,
                             sizeof layout->segments[0]);
  layout->sections = calloc (image->n_sections + NEW_SECTIONS_MAX,
                             sizeof layout->sections[0]);
  layout->moved = calloc (image->n_sections + 1, sizeof layout->moved[0]);
  if (layout->segments == NULL || layout->sections == NULL
      || layout->moved == NULL)
    return error_set_no_memory (layout->err);
  memcpy (layout->segments, image->segments,
          image->n_segments * sizeof layout->segments[0]);
  for (size_t i = 0; i < image->n_sections; i++)
    layout->sections[i] = image->sections[i].header;
  return plan_copy (layout->plan, 0, 0, image->size, layout->err);
}

void
layout_free (struct layout *layout)
{
  free (layout->segments);
  free (layout->sections);
  free (layout->moved);
}

bool
layout_reject (const struct layout *layout, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  vsnprintf (layout->reason, REASON_SIZE, fmt, args);
  va_end (args);
  return false;
}

bool
layout_may_shift (struct layout *layout, uint64_t from)
{
  layout->has_unaccounted_bytes
      = !owners_account_for_all (layout->image, from);
  return !layout->has_unaccounted_bytes
         || layout_reject (layout, "bytes that no header accounts for would "
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
segment_set_add_type (const struct image *image, struct segment_set *set,
                      size_t limit, uint32_t type)
{
  for (size_t i = 0; i < image->n_segments && set->n < limit; i++)
    if (image->segments[i].p_type == type)
      set->indices[set->n++] = i;
}

/* ---- New headers */

GElf_Phdr
layout_new_segment (const struct layout *layout, uint32_t type,
                    struct interval bytes, uint64_t address, uint64_t align)
{
  GElf_Phdr segment = *image_last_load (layout->image);
  segment_move (&segment, bytes.begin - segment.p_offset,
                address - segment.p_vaddr);
  segment.p_type = type;
  segment.p_flags = PF_R;
  segment.p_filesz = segment.p_memsz = bytes.end - bytes.begin;
  segment.p_align = align;
  return segment;
}

GElf_Phdr
layout_sframe_segment (const struct layout *layout)
{
  const struct plan *plan = layout->plan;
  return layout_new_segment (
      layout, PT_GNU_SFRAME,
      interval_at (plan->sframe_offset, plan->sframe_size),
      plan->sframe_address, 8);
}

/* glibc, musl and the kernel require ascending PT_LOADs.  The place of
   PT_GNU_SFRAME in the table does not matter.  */
void
layout_add_segments (struct layout *layout, const struct segment_set *dropped,
                     const GElf_Phdr *load)
{
  size_t last_load = 0, n = 0;
  for (size_t i = 0; i < layout->n_segments; i++)
    if (!segment_set_has (dropped, i))
      {
        layout->segments[n] = layout->segments[i];
        const GElf_Phdr *kept = &layout->segments[n++];
        if (kept->p_type == PT_LOAD && load != NULL
            && kept->p_vaddr < load->p_vaddr)
          last_load = n;
      }
  if (load != NULL)
    {
      memmove (&layout->segments[last_load + 1], &layout->segments[last_load],
               (n - last_load) * sizeof layout->segments[0]);
      layout->segments[last_load] = *load;
      n++;
    }
  layout->segments[n++] = layout_sframe_segment (layout);
  layout->n_segments = n;
  for (size_t i = 0; i < layout->n_segments; i++)
    if (layout->segments[i].p_type == PT_PHDR)
      layout->segments[i].p_filesz = layout->segments[i].p_memsz
          = layout->n_segments * sizeof (Elf64_Phdr);
}

void
layout_add_section (struct layout *layout, const char *name,
                    const GElf_Shdr *header)
{
  layout->new_names[layout->n_new_sections++] = name;
  layout->sections[layout->n_sections++] = *header;
}

/* Return the address at which LAYOUT loads the byte at OFFSET, or 0.  */
static uint64_t
address_of (const struct layout *layout, uint64_t offset)
{
  for (size_t i = 0; i < layout->n_segments; i++)
    {
      const GElf_Phdr *load = &layout->segments[i];
      if (load->p_type == PT_LOAD && offset - load->p_offset < load->p_filesz)
        return load->p_vaddr + (offset - load->p_offset);
    }
  return 0;
}

void
layout_add_loaded_section (struct layout *layout, const char *name,
                           uint32_t type, struct interval bytes,
                           uint64_t align)
{
  const GElf_Shdr header = { .sh_type = type,
                             .sh_flags = SHF_ALLOC,
                             .sh_addr = address_of (layout, bytes.begin),
                             .sh_offset = bytes.begin,
                             .sh_size = bytes.end - bytes.begin,
                             .sh_addralign = align };
  layout_add_section (layout, name, &header);
}

void
layout_add_sframe_section (struct layout *layout)
{
  GElf_Shdr header = { .sh_type = layout->request->section_type,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = layout->plan->sframe_address,
                       .sh_offset = layout->plan->sframe_offset,
                       .sh_size = layout->plan->sframe_size,
                       .sh_addralign = 8 };
  const struct sframe_place *replaced = layout->request->replaced;
  if (replaced == NULL || replaced->section == 0)
    {
      layout_add_section (layout, ".sframe", &header);
      return;
    }
  header.sh_name = layout->sections[replaced->section].sh_name;
  layout->sections[replaced->section] = header;
  layout->plan->replaced_section = replaced->section;
}

/* ---- Addresses of moved sections */

/* Give the 64-bit word at OLD_OFFSET the new VALUE.  */
static bool
patch_u64 (struct layout *layout, uint64_t old_offset, uint64_t value)
{
  uint64_t offset;
  if (!plan_find (layout->plan, old_offset, sizeof value, &offset))
    return error_set_at (layout->err, CFI2SFRAME_REFUSED, old_offset,
                         "an address that must change lies in bytes that "
                         "have moved");
  uint8_t *bytes
      = plan_add_patch (layout->plan, offset, sizeof value, layout->err);
  if (bytes == NULL)
    return false;
  store_u64 (bytes, value, layout->image->big_endian);
  return true;
}

bool
layout_patch_dynamic (struct layout *layout)
{
  uint64_t at = 0, value;
  int64_t tag;
  while (dynamic_next (layout->image, &at, &tag, &value))
    {
      /* The loop below looks at all sections, so refusals.c bounds the number
         of entries with such a tag (DYNAMIC_TABLES_MAX).  */
      if (!dynamic_is_table (tag))
        continue;
      for (size_t i = 1; i < layout->image->n_sections; i++)
        {
          const GElf_Shdr *table = &layout->image->sections[i].header;
          if (layout->moved[i] == 0 || table->sh_addr != value
              || dynamic_tag_of (table->sh_type) != tag)
            continue;
          /* AT is the offset behind the entry, whose last word is d_un.  */
          if (!patch_u64 (layout, at - 8, value + layout->moved[i]))
            return false;
          break;
        }
    }
  return true;
}

/* This skips tables whose entries have another size than programs expect, and
   dynamic symbols of other types than STT_SECTION: a dynamic linker may find
   these by name, so their sections do not move.  */
bool
layout_patch_symbols (struct layout *layout)
{
  const struct image_section *sections = layout->image->sections;
  struct symbol_walk walk = symbol_walk_over (layout->image, false);
  struct symbol symbol;
  size_t n_patches = 0;
  while (symbol_walk_next (&walk, &symbol))
    {
      const GElf_Shdr *table = &sections[walk.table.section].header;
      if (table->sh_entsize != sizeof (Elf64_Sym) || symbol.section == 0
          || layout->moved[symbol.section] == 0
          || (table->sh_type != SHT_SYMTAB
              && ELF64_ST_TYPE (symbol.info) != STT_SECTION)
          || !symbol_is_in_section (&sections[symbol.section].header,
                                    symbol.value))
        continue;
      if (++n_patches > MOVED_SYMBOLS_MAX)
        return error_set (layout->err, CFI2SFRAME_REFUSED,
                          "too many symbols in sections that must move");
      uint64_t at = table->sh_offset + (walk.next - 1) * sizeof (Elf64_Sym)
                    + offsetof (Elf64_Sym, st_value);
      if (!patch_u64 (layout, at,
                      symbol.value + layout->moved[symbol.section]))
        return false;
    }
  return true;
}

/* ---- Writing the headers */

/* Append a copy of the section name table, with the new names at its end.  The
   old table stays as dead bytes, so that undoing is exact.  */
static bool
write_names (struct layout *layout)
{
  if (layout->image->section_names == 0 || layout->n_new_sections == 0)
    return true;
  GElf_Shdr *names = &layout->sections[layout->image->section_names];
  uint64_t old_size = names->sh_size;
  uint64_t size = old_size;
  for (size_t i = 0; i < layout->n_new_sections; i++)
    size += strlen (layout->new_names[i]) + 1;
  if (size > UINT32_MAX)
    return error_set (layout->err, CFI2SFRAME_REFUSED,
                      "the section name table is too large");
  /* The copy is a patch and no extent, because the old table also stays, and
     an old byte is in one extent at most.  */
  uint8_t *copy
      = plan_add_patch (layout->plan, layout->end, (size_t)size, layout->err);
  uint64_t old_offset
      = layout->image->sections[layout->image->section_names].header.sh_offset;
  if (copy == NULL)
    return false;
  memcpy (copy, layout->image->bytes + old_offset, (size_t)old_size);
  size_t n_old = layout->n_sections - layout->n_new_sections;
  size_t at = (size_t)old_size;
  for (size_t i = 0; i < layout->n_new_sections; i++)
    {
      size_t length = strlen (layout->new_names[i]) + 1;
      layout->sections[n_old + i].sh_name = (uint32_t)at;
      memcpy (copy + at, layout->new_names[i], length);
      at += length;
    }
  names->sh_offset = layout->end;
  names->sh_size = size;
  layout->end += size;
  return true;
}

bool
layout_write (struct layout *layout, Elf_Type type, const void *source,
              size_t size, uint64_t offset)
{
  uint8_t *bytes = plan_add_patch (layout->plan, offset, size, layout->err);
  if (bytes != NULL)
    image_encode (layout->image, type, source, size, bytes);
  return bytes != NULL;
}

bool
layout_finish (struct layout *layout, bool in_place)
{
  GElf_Ehdr *header = &layout->header;
  size_t size = layout->n_sections * sizeof (Elf64_Shdr);
  if (!in_place)
    {
      if (!write_names (layout)
          || !align_up_checked (layout->end, 8, &layout->end))
        return false;
      header->e_shoff = layout->end;
      layout->end += size;
      /* gABI: a number of sections above that of e_shnum is in section 0.  */
      bool fits = layout->n_sections < SHN_LORESERVE;
      header->e_shnum = fits ? (uint16_t)layout->n_sections : 0;
      if (!fits)
        layout->sections[0].sh_size = layout->n_sections;
    }
  header->e_phnum = (uint16_t)layout->n_segments;
  layout->plan->new_size = layout->end;
  return layout_write (layout, ELF_T_SHDR, layout->sections, size,
                       header->e_shoff)
         && layout_write (layout, ELF_T_EHDR, header, sizeof *header, 0)
         && layout_write (layout, ELF_T_PHDR, layout->segments,
                          layout->n_segments * sizeof (Elf64_Phdr),
                          header->e_phoff);
}
