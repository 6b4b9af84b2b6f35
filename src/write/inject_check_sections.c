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

/* An allocated section that has another address now: only those that nobody
   reaches by a fixed address may.  */
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
  const GElf_Phdr *interp = image_find_segment (check->new, PT_INTERP);
  return interp != NULL && interp->p_vaddr == header->sh_addr
         && interp->p_offset == header->sh_offset
         && interp->p_filesz == header->sh_size;
}

/* Whether the old file loads the section from where its header says; some
   linkers' empty sections are anywhere.  */
static bool
was_loaded (const struct check *check, const GElf_Shdr *header)
{
  for (size_t i = 0; i < check->old->n_segments; i++)
    {
      const GElf_Phdr *load = &check->old->segments[i];
      if (load->p_type == PT_LOAD && header->sh_addr >= load->p_vaddr
          && header->sh_addr - load->p_vaddr
                 == header->sh_offset - load->p_offset
          && header->sh_addr - load->p_vaddr <= load->p_filesz)
        return true;
    }
  return false;
}

static bool
check_place (const struct check *check, const char *name, const GElf_Shdr *old,
             const GElf_Shdr *new)
{
  if (old->sh_addr != new->sh_addr
      && !((old->sh_flags & SHF_ALLOC)
           && (may_move (old) || was_interpreter (check, new))))
    return check_violated (check, "other address of", name);
  if ((new->sh_flags &SHF_ALLOC) && has_file_bytes (new)
      && (was_loaded (check, old) || !has_file_bytes (old))
      && !check_is_loaded (check, new->sh_offset, new->sh_addr, new->sh_size))
    return check_violated (check, "not loaded where it says:", name);
  return true;
}

/* A patch may change the value of a symbol by as much as its section has
   moved.  */
static bool
is_moved_symbol (const struct check *check, const GElf_Shdr *old,
                 const GElf_Shdr *new, const struct layout_patch *patch)
{
  bool big_endian = check->new->big_endian;
  uint64_t at = patch->offset - new->sh_offset;
  if (patch->size != 8
      || at % sizeof (Elf64_Sym) != offsetof (Elf64_Sym, st_value))
    return false;
  const uint8_t *old_value = check->old->bytes + old->sh_offset + at;
  const uint8_t *new_value = check->new->bytes + new->sh_offset + at;
  size_t section = load_u16 (old_value - 2, big_endian);
  if (section == SHN_XINDEX)
    return true; /* the index is in another table */
  if (section == 0 || section >= check->old->n_sections)
    return false;
  return load_u64 (new_value, big_endian) - load_u64 (old_value, big_endian)
         == check->new->sections[section].header.sh_addr
                - check->old->sections[section].header.sh_addr;
}

static bool
check_symbols (const struct check *check, const GElf_Shdr *old,
               const GElf_Shdr *new)
{
  for (size_t i = 0; i < check->plan->n_patches; i++)
    {
      const struct layout_patch *patch = &check->plan->patches[i];
      if (patch->offset >= new->sh_offset
          && patch->offset < new->sh_offset + new->sh_size
          && !is_moved_symbol (check, old, new, patch))
        return false;
    }
  return check_same_but_patched (check, old->sh_offset, new->sh_offset,
                                 old->sh_size);
}

static bool
same_contents (const struct check *check, size_t index, const GElf_Shdr *old,
               const GElf_Shdr *new)
{
  if (!has_file_bytes (old) && has_file_bytes (new))
    return bytes_are_zero (check->new->bytes + new->sh_offset, new->sh_size);
  if (!has_file_bytes (old) || old->sh_size == 0)
    return true;
  if (index == check->old->section_names) /* the longer copy */
    return check_same_bytes (check, old->sh_offset, new->sh_offset,
                             old->sh_size);
  if (!check_is_copied (check, old->sh_offset, new->sh_offset, old->sh_size))
    return false;
  if (old->sh_type == SHT_SYMTAB)
    return check_symbols (check, old, new);
  if (old->sh_type == SHT_DYNAMIC) /* see check_dynamic_kept */
    return check_same_but_patched (check, old->sh_offset, new->sh_offset,
                                   old->sh_size);
  return check_same_bytes (check, old->sh_offset, new->sh_offset,
                           old->sh_size);
}

/* The table of section names ends with the new ones.  */
static uint64_t
expected_size (const struct check *check, size_t index)
{
  uint64_t size = check->old->sections[index].header.sh_size;
  if (index == check->old->section_names)
    for (size_t i = check->old->n_sections; i < check->new->n_sections; i++)
      size += strlen (check->new->sections[i].name) + 1;
  return size;
}

static bool
check_section (const struct check *check, size_t index)
{
  const char *name = check->old->sections[index].name;
  const GElf_Shdr *old = &check->old->sections[index].header;
  const GElf_Shdr *new = &check->new->sections[index].header;
  bool materialised = old->sh_type == SHT_NOBITS
                      && new->sh_type == SHT_PROGBITS
                      && (old->sh_flags & (SHF_WRITE | SHF_TLS)) == SHF_WRITE;
  if ((old->sh_type != new->sh_type && !materialised)
      || old->sh_name != new->sh_name || old->sh_flags != new->sh_flags
      || old->sh_link != new->sh_link || old->sh_info != new->sh_info
      || old->sh_entsize != new->sh_entsize
      || old->sh_addralign != new->sh_addralign
      || new->sh_size != expected_size (check, index)
      || strcmp (name, check->new->sections[index].name) != 0)
    return check_violated (check, "other header of", name);
  if (!check_place (check, name, old, new))
    return false;
  return same_contents (check, index, old, new)
         || check_violated (check, "other contents in", name);
}

static bool
is_new_name (const char *name)
{
  static const char *const names[]
      = { ".sframe",     ".old_headers",  ".headers_end",
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
           && note_is_filler (check->new->bytes + header->sh_offset,
                              check->new->big_endian);
  return header->sh_type == SHT_PROGBITS || header->sh_type == SHT_GNU_SFRAME;
}

/* A section that the old file does not have: .sframe, a note that readers
   skip, or an owner of bytes that nothing else names.  */
static bool
check_new_section (const struct check *check, size_t index)
{
  const struct image_section *section = &check->new->sections[index];
  const GElf_Shdr *header = &section->header;
  if ((check->new->section_names != 0 && !is_new_name (section->name))
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
      = image_find_section (check->new, ".sframe");
  if (check->old->section_names == 0)
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
  const struct image *old = check->old, *new = check->new;
  if (new->n_sections < old->n_sections
      || (old->n_sections == 0 && new->n_sections != 0)
      || old->section_names != new->section_names)
    return check_violated (check, "sections are missing", "");
  for (size_t i = 1; i < old->n_sections; i++)
    if (old->sections[i].header.sh_type != SHT_NULL
        && i != check->plan->replaced_section && !check_section (check, i))
      return false;
  for (size_t i = old->n_sections; i < new->n_sections; i++)
    if (!check_new_section (check, i))
      return false;
  return old->n_sections == 0 || check_sframe_section (check);
}

/* ---- Dynamic entries */

/* Whether a section had address OLD and has address NEW.  */
static bool
section_went (const struct check *check, uint64_t old, uint64_t new)
{
  for (size_t i = 1; i < check->old->n_sections; i++)
    if (check->old->sections[i].header.sh_addr == old
        && check->new->sections[i].header.sh_addr
               == new &&may_move (&check->old->sections[i].header))
      return true;
  return false;
}

/* Whether no movable section has left address ADDRESS.  */
static bool
section_stayed (const struct check *check, uint64_t address)
{
  for (size_t i = 1; i < check->old->n_sections; i++)
    if (check->old->sections[i].header.sh_addr == address
        && check->new->sections[i].header.sh_addr
               != address &&may_move (&check->old->sections[i].header))
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
  while (dynamic_next (check->old, &old_at, &old_tag, &old_value))
    {
      if (!dynamic_next (check->new, &new_at, &new_tag, &new_value)
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
  if (dynamic_next (check->new, &new_at, &new_tag, &new_value))
    return check_violated (check, "more dynamic entries", "");
  return true;
}
