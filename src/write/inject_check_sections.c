/* The self-check: sections, dynamic entries and symbols.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "write/inject_check_parts.h"

#include <stddef.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/notes.h"

/* Whether IMAGE loads the section of HEADER at its address from its offset.
   Some linkers give empty sections an address at which nothing is loaded.  */
static bool
is_loaded (const struct image *image, const GElf_Shdr *header)
{
  return check_is_loaded (image, header->sh_offset, header->sh_addr,
                          header->sh_size);
}

static bool
check_place (const struct check *check, const char *name,
             const GElf_Shdr *before, const GElf_Shdr *after)
{
  if (before->sh_addr != after->sh_addr
      && !section_kind_may_move (check->before, before))
    return check_violated (check, "other address of", name);
  if ((after->sh_flags & SHF_ALLOC) && image_section_has_bytes (after)
      && (is_loaded (check->before, before)
          || !image_section_has_bytes (before))
      && !is_loaded (check->after, after))
    return check_violated (check, "not loaded where it says:", name);
  return true;
}

/* Whether the symbol NEW is OLD with the value changed by as much as the
   address of its section.  In a TABLE of type SHT_DYNSYM only symbols of type
   STT_SECTION may change.  */
static bool
is_moved_symbol (const struct check *check, uint32_t table, const uint8_t *old,
                 const uint8_t *new)
{
  bool big_endian = check->after->big_endian;
  uint8_t expected[sizeof (Elf64_Sym)];
  size_t value = offsetof (Elf64_Sym, st_value);
  size_t section = load_u16 (old + offsetof (Elf64_Sym, st_shndx), big_endian);
  uint64_t moved = load_u64 (new + value, big_endian);
  if (section > 0 && section < check->before->n_sections)
    moved = load_u64 (old + value, big_endian)
            + check->after->sections[section].header.sh_addr
            - check->before->sections[section].header.sh_addr;
  else if (section != SHN_XINDEX) /* then the index is in another table */
    return false;
  memcpy (expected, old, sizeof expected);
  store_u64 (expected + value, moved, big_endian);
  return memcmp (expected, new, sizeof expected) == 0
         && (table != SHT_DYNSYM
             || ELF64_ST_TYPE (old[offsetof (Elf64_Sym, st_info)])
                    == STT_SECTION);
}

static bool
same_symbols (const struct check *check, const GElf_Shdr *before,
              const GElf_Shdr *after)
{
  const uint8_t *old = check->before->bytes + before->sh_offset;
  const uint8_t *new = check->after->bytes + after->sh_offset;
  uint64_t size = before->sh_size;
  for (uint64_t at = 0; check_next_difference (check, before->sh_offset,
                                               after->sh_offset, size, &at);
       at += sizeof (Elf64_Sym))
    {
      at -= at % sizeof (Elf64_Sym);
      if (size - at < sizeof (Elf64_Sym)
          || !is_moved_symbol (check, before->sh_type, old + at, new + at))
        return false;
    }
  return true;
}

/* Whether a section has the same contents.  check_memory_kept has compared
   loaded sections that may not move.  */
static bool
same_contents (const struct check *check, const GElf_Shdr *before,
               const GElf_Shdr *after)
{
  if (!image_section_has_bytes (before) && image_section_has_bytes (after))
    return bytes_are_zero (check->after->bytes + after->sh_offset,
                           after->sh_size);
  if (!image_section_has_bytes (before)
      || (!section_kind_may_move (check->before, before)
          && is_loaded (check->before, before)))
    return true;
  if (before->sh_type == SHT_SYMTAB || before->sh_type == SHT_DYNSYM)
    return same_symbols (check, before, after);
  /* The new table of section names is a longer copy.  */
  return check_same_bytes (check, before->sh_offset, after->sh_offset,
                           before->sh_size);
}

static bool
check_section (const struct check *check, size_t index)
{
  const char *name = check->before->sections[index].name;
  const GElf_Shdr *before = &check->before->sections[index].header;
  const GElf_Shdr *after = &check->after->sections[index].header;
  GElf_Shdr expected = *before;
  expected.sh_offset = after->sh_offset;
  expected.sh_addr = after->sh_addr;
  /* The table of section names ends with the new ones.  */
  if (index == check->before->section_names)
    for (size_t i = check->before->n_sections; i < check->after->n_sections;
         i++)
      expected.sh_size += strlen (check->after->sections[i].name) + 1;
  if (before->sh_type == SHT_NOBITS && after->sh_type == SHT_PROGBITS
      && (before->sh_flags & (SHF_WRITE | SHF_TLS)) == SHF_WRITE)
    expected.sh_type = SHT_PROGBITS; /* the BSS has bytes in the file now */
  if (memcmp (&expected, after, sizeof expected) != 0)
    return check_violated (check, "other header of", name);
  if (!check_place (check, name, before, after))
    return false;
  return same_contents (check, before, after)
         || check_violated (check, "other contents in", name);
}

static bool
is_new_name (const char *name)
{
  static const char *const names[]
      = { ".sframe",     ".old_headers",  ".old_notes",  ".headers_end",
          ".old_tables", ".page_padding", ".note.filler" };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp (name, names[i]) == 0)
      return true;
  return false;
}

static bool
is_new_type (const struct check *check, const struct image_section *section)
{
  const GElf_Shdr *header = &section->header;
  if (strcmp (section->name, ".note.filler") == 0)
    return header->sh_type == SHT_NOTE && header->sh_addralign == 8
           && header->sh_size == NOTE_FILLER_SIZE
           && note_is_filler (check->after->bytes + header->sh_offset,
                              check->after->big_endian);
  /* check_memory_kept compares the bytes of old notes.  */
  if (strcmp (section->name, ".old_notes") == 0 && header->sh_type == SHT_NOTE)
    return true;
  return header->sh_type == SHT_PROGBITS || header->sh_type == SHT_GNU_SFRAME;
}

/* Whether section INDEX is one that a conversion adds: .sframe, an empty note,
   or a section for bytes that no other header owns.  */
static bool
check_new_section (const struct check *check, size_t index)
{
  const struct image_section *section = &check->after->sections[index];
  const GElf_Shdr *header = &section->header;
  return ((check->after->section_names == 0 || is_new_name (section->name))
          && header->sh_flags == SHF_ALLOC && header->sh_link == 0
          && header->sh_info == 0 && header->sh_entsize == 0
          && is_loaded (check->after, header) && is_new_type (check, section))
         || check_violated (check, "wrong new section", section->name);
}

bool
check_sections_kept (const struct check *check)
{
  const struct image *before = check->before, *after = check->after;
  if (after->n_sections < before->n_sections
      || before->section_names != after->section_names)
    return check_violated (check, "sections are missing", "");
  for (size_t i = 1; i < before->n_sections; i++)
    if (before->sections[i].header.sh_type != SHT_NULL
        && i != check->plan->replaced_section && !check_section (check, i))
      return false;
  for (size_t i = before->n_sections; i < after->n_sections; i++)
    if (!check_new_section (check, i))
      return false;
  return true;
}

/* ---- Dynamic entries */

/* Return the value that the entry TAG with the old VALUE must have in the new
   file: the new address if it is that of a table that may move.  */
static uint64_t
expected_value (const struct check *check, int64_t tag, uint64_t value)
{
  for (size_t i = 1; dynamic_is_table (tag) && i < check->before->n_sections;
       i++)
    {
      const GElf_Shdr *table = &check->before->sections[i].header;
      if ((table->sh_flags & SHF_ALLOC) && table->sh_addr == value
          && dynamic_tag_of (table->sh_type) == tag)
        return check->after->sections[i].header.sh_addr;
    }
  return value;
}

/* check_memory_kept compares the bytes behind the last entry.  */
bool
check_dynamic_kept (const struct check *check)
{
  int64_t old_tag, new_tag;
  uint64_t old_value, new_value, old_at = 0, new_at = 0;
  while (dynamic_next (check->before, &old_at, &old_tag, &old_value))
    if (!dynamic_next (check->after, &new_at, &new_tag, &new_value)
        || new_tag != old_tag
        || new_value != expected_value (check, old_tag, old_value))
      return check_violated (check, "other dynamic entries", "");
  return true;
}
