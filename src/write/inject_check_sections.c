/* The self-check's half about sections, dynamic entries and symbols.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "write/inject_check.h"

#include <string.h>

#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/notes.h"

static bool
has_file_bytes (const GElf_Shdr *header)
{
  return header->sh_type != SHT_NULL && header->sh_type != SHT_NOBITS;
}

/* Whether the allocated section may have another address: code must not reach
   it by a fixed address.  */
static bool
may_move (const GElf_Shdr *header)
{
  switch (header->sh_type)
    {
    case SHT_NOTE:
    case SHT_STRTAB:
    case SHT_HASH:
    case SHT_GNU_HASH:
    case SHT_DYNSYM:
    case SHT_GNU_versym:
    case SHT_GNU_verneed:
    case SHT_GNU_verdef:
      return !(header->sh_flags & (SHF_WRITE | SHF_EXECINSTR));
    default:
      return false;
    }
}

static bool
was_interpreter (const struct check *check, const GElf_Shdr *header)
{
  const GElf_Phdr *interp = image_find_segment (check->after, PT_INTERP);
  return interp != NULL && interp->p_vaddr == header->sh_addr
         && interp->p_offset == header->sh_offset
         && interp->p_filesz == header->sh_size;
}

/* Whether the old file loads the section from where its header says; some
   linkers' empty sections are anywhere.  */
static bool
was_loaded (const struct check *check, const GElf_Shdr *header)
{
  for (size_t i = 0; i < check->before->n_segments; i++)
    {
      const GElf_Phdr *load = &check->before->segments[i];
      if (load->p_type == PT_LOAD && header->sh_addr >= load->p_vaddr
          && header->sh_addr - load->p_vaddr
                 == header->sh_offset - load->p_offset
          && header->sh_addr - load->p_vaddr <= load->p_filesz)
        return true;
    }
  return false;
}

static bool
check_place (const struct check *check, const char *name,
             const GElf_Shdr *before, const GElf_Shdr *after)
{
  if (before->sh_addr != after->sh_addr
      && !((before->sh_flags & SHF_ALLOC)
           && (may_move (before) || was_interpreter (check, after))))
    return check_violated (check, "other address of", name);
  if ((after->sh_flags & SHF_ALLOC) && has_file_bytes (after)
      && (was_loaded (check, before) || !has_file_bytes (before))
      && !check_is_loaded (check, after->sh_offset, after->sh_addr,
                           after->sh_size))
    return check_violated (check, "not loaded where it says:", name);
  return true;
}

/* A patch may change the value of a symbol by as much as its section has
   moved.  Of dynamic symbols only those of sections may have moved.  */
static bool
is_moved_symbol (const struct check *check, const GElf_Shdr *before,
                 const GElf_Shdr *after, const struct layout_patch *patch)
{
  bool big_endian = check->after->big_endian;
  uint64_t at = patch->offset - after->sh_offset;
  if (patch->offset < after->sh_offset || patch->size != 8
      || at % sizeof (Elf64_Sym) != offsetof (Elf64_Sym, st_value))
    return false;
  const uint8_t *old_value = check->before->bytes + before->sh_offset + at;
  const uint8_t *new_value = check->after->bytes + after->sh_offset + at;
  size_t section = load_u16 (old_value - 2, big_endian);
  if (before->sh_type == SHT_DYNSYM
      && ELF64_ST_TYPE (old_value[-4]) != STT_SECTION)
    return false;
  if (section == SHN_XINDEX)
    return true; /* the index is in another table */
  if (section == 0 || section >= check->before->n_sections)
    return false;
  return load_u64 (new_value, big_endian) - load_u64 (old_value, big_endian)
         == check->after->sections[section].header.sh_addr
                - check->before->sections[section].header.sh_addr;
}

static bool
check_symbols (const struct check *check, const GElf_Shdr *before,
               const GElf_Shdr *after)
{
  for (size_t i = 0; i < check->plan->n_patches; i++)
    {
      const struct layout_patch *patch = &check->plan->patches[i];
      if (patch->offset + patch->size > after->sh_offset
          && patch->offset < after->sh_offset + after->sh_size
          && !is_moved_symbol (check, before, after, patch))
        return false;
    }
  return check_same_but_patched (check, before->sh_offset, after->sh_offset,
                                 before->sh_size);
}

static bool
same_contents (const struct check *check, size_t index,
               const GElf_Shdr *before, const GElf_Shdr *after)
{
  if (!has_file_bytes (before) && has_file_bytes (after))
    return bytes_are_zero (check->after->bytes + after->sh_offset,
                           after->sh_size);
  if (!has_file_bytes (before) || before->sh_size == 0)
    return true;
  if (index
      == check->before->section_names) /* the new table is a longer copy */
    return check_same_bytes (check, before->sh_offset, after->sh_offset,
                             before->sh_size);
  /* grow-down leaves the notes where they were, too.  */
  if (before->sh_type != SHT_NOTE
      && !check_is_copied (check, before->sh_offset, after->sh_offset,
                           before->sh_size))
    return false;
  if (before->sh_type == SHT_SYMTAB || before->sh_type == SHT_DYNSYM)
    return check_symbols (check, before, after);
  if (before->sh_type == SHT_DYNAMIC) /* see check_dynamic_kept */
    return check_same_but_patched (check, before->sh_offset, after->sh_offset,
                                   before->sh_size);
  return check_same_bytes (check, before->sh_offset, after->sh_offset,
                           before->sh_size);
}

/* The table of section names ends with the new ones.  */
static uint64_t
expected_size (const struct check *check, size_t index)
{
  uint64_t size = check->before->sections[index].header.sh_size;
  if (index == check->before->section_names)
    for (size_t i = check->before->n_sections; i < check->after->n_sections;
         i++)
      size += strlen (check->after->sections[i].name) + 1;
  return size;
}

static bool
check_section (const struct check *check, size_t index)
{
  const char *name = check->before->sections[index].name;
  const GElf_Shdr *before = &check->before->sections[index].header;
  const GElf_Shdr *after = &check->after->sections[index].header;
  bool materialised
      = before->sh_type == SHT_NOBITS && after->sh_type == SHT_PROGBITS
        && (before->sh_flags & (SHF_WRITE | SHF_TLS)) == SHF_WRITE;
  if ((before->sh_type != after->sh_type && !materialised)
      || before->sh_name != after->sh_name
      || before->sh_flags != after->sh_flags
      || before->sh_link != after->sh_link || before->sh_info != after->sh_info
      || before->sh_entsize != after->sh_entsize
      || before->sh_addralign != after->sh_addralign
      || after->sh_size != expected_size (check, index)
      || strcmp (name, check->after->sections[index].name) != 0)
    return check_violated (check, "other header of", name);
  if (!check_place (check, name, before, after))
    return false;
  return same_contents (check, index, before, after)
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
  return header->sh_type == SHT_PROGBITS || header->sh_type == SHT_GNU_SFRAME;
}

/* Whether the section may be new: .sframe, a note that readers skip, or an
   owner of bytes that no other header names.  */
static bool
check_new_section (const struct check *check, size_t index)
{
  const struct image_section *section = &check->after->sections[index];
  const GElf_Shdr *header = &section->header;
  if ((check->after->section_names != 0 && !is_new_name (section->name))
      || header->sh_flags != SHF_ALLOC || header->sh_link != 0
      || header->sh_info != 0 || header->sh_entsize != 0
      || !check_is_loaded (check, header->sh_offset, header->sh_addr,
                           header->sh_size)
      || !is_new_type (check, section))
    return check_violated (check, "wrong new section", section->name);
  return true;
}

static bool
check_sframe_section (const struct check *check)
{
  const struct layout_plan *plan = check->plan;
  const struct image_section *section
      = image_find_section (check->after, ".sframe");
  if (check->before->section_names == 0)
    return true;
  if (section == NULL || section->header.sh_flags != SHF_ALLOC
      || section->header.sh_offset != plan->sframe_offset
      || section->header.sh_addr != plan->sframe_address
      || section->header.sh_size != plan->sframe_size
      || section->header.sh_addralign != 8)
    return check_violated (check, "section and segment of .sframe disagree",
                           "");
  return true;
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
  return check_sframe_section (check);
}

/* ---- Dynamic entries */

/* Whether a section that may move had address BEFORE and has address
   AFTER.  */
static bool
section_went (const struct check *check, uint64_t before, uint64_t after)
{
  for (size_t i = 1; i < check->before->n_sections; i++)
    if (check->before->sections[i].header.sh_addr == before
        && check->after->sections[i].header.sh_addr == after
        && may_move (&check->before->sections[i].header))
      return true;
  return false;
}

/* Whether no movable section has left address ADDRESS.  */
static bool
section_stayed (const struct check *check, uint64_t address)
{
  for (size_t i = 1; i < check->before->n_sections; i++)
    if (check->before->sections[i].header.sh_addr == address
        && check->after->sections[i].header.sh_addr != address
        && may_move (&check->before->sections[i].header))
      return false;
  return true;
}

static bool
names_table (int64_t tag)
{
  return tag == DT_HASH || tag == DT_GNU_HASH || tag == DT_SYMTAB
         || tag == DT_STRTAB || tag == DT_VERSYM || tag == DT_VERNEED
         || tag == DT_VERDEF;
}

bool
check_dynamic_kept (const struct check *check)
{
  int64_t old_tag, new_tag;
  uint64_t old_value, new_value;
  uint64_t old_at = 0, new_at = 0;
  while (dynamic_next (check->before, &old_at, &old_tag, &old_value))
    {
      if (!dynamic_next (check->after, &new_at, &new_tag, &new_value)
          || new_tag != old_tag)
        return check_violated (check, "other dynamic entries", "");
      if (old_value != new_value
          && !(names_table (old_tag)
               && section_went (check, old_value, new_value)))
        return check_violated (check, "other value of a dynamic entry", "");
      if (old_value == new_value && names_table (old_tag)
          && !section_stayed (check, old_value))
        return check_violated (check, "a table has moved without its entry",
                               "");
    }
  if (dynamic_next (check->after, &new_at, &new_tag, &new_value))
    return check_violated (check, "more dynamic entries", "");
  return true;
}
