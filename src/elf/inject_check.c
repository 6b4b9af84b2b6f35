/* The last look at a new file before it takes the old one's place.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Everything is read back from the file, with the same reader that reads any
   other file; only the plan's extents and what the kernel copies by them are
   trusted in large files (COMPARE_MAX).  elf-injection notes, section 12.  */

#include "elf/inject.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/bytes.h"

enum
{
  /* Up to this size every byte of every section is compared; above, what the
     plan does not copy to its place by one extent.  */
  COMPARE_MAX = 8 << 20
};

struct check
{
  const struct image *old, *new;
  const struct layout_plan *plan;
  const void *sframe;
  struct error *err;
};

static bool
violated (const struct check *check, const char *what, const char *name)
{
  return error_set (check->err, CFI2SFRAME_REFUSED,
                    "self-check of the new file failed: %s%s%.60s", what,
                    name[0] ? " " : "", name);
}

/* Whether [OFFSET, + SIZE) of the new file is touched by a patch.  */
static bool
is_patched (const struct check *check, uint64_t offset, uint64_t size)
{
  for (size_t i = 0; i < check->plan->n_patches; i++)
    {
      const struct layout_patch *patch = &check->plan->patches[i];
      if (patch->offset < offset + size
          && patch->offset + patch->size > offset)
        return true;
    }
  return false;
}

static bool
is_copied_whole (const struct check *check, uint64_t old_offset,
                 uint64_t new_offset, uint64_t size)
{
  for (size_t i = 0; i < check->plan->n_extents; i++)
    {
      const struct layout_extent *extent = &check->plan->extents[i];
      if (old_offset >= extent->old_offset
          && old_offset + size <= extent->old_offset + extent->size
          && new_offset - old_offset
                 == extent->new_offset - extent->old_offset)
        return true;
    }
  return false;
}

/* Whether the SIZE bytes at both places are equal.  */
static bool
same_bytes (const struct check *check, uint64_t old_offset,
            uint64_t new_offset, uint64_t size)
{
  if (new_offset > check->new->size || size > check->new->size - new_offset)
    return false;
  if (check->old->size > COMPARE_MAX
      && is_copied_whole (check, old_offset, new_offset, size)
      && !is_patched (check, new_offset, size))
    return true;
  return memcmp (check->old->bytes + old_offset,
                 check->new->bytes + new_offset, size)
         == 0;
}

static bool
check_loads (const struct check *check)
{
  /* image_open has checked that they are sorted and disjoint.  */
  const struct image *new = check->new;
  const GElf_Phdr *table = image_find_segment (new, PT_PHDR);
  if (table != NULL
      && (table->p_offset != new->header.e_phoff
          || table->p_filesz != new->n_segments * sizeof (Elf64_Phdr)))
    return violated (check, "PT_PHDR is not the program header table", "");
  for (size_t i = 0; i < new->n_segments; i++)
    {
      const GElf_Phdr *load = &new->segments[i];
      if (load->p_type == PT_LOAD && load->p_align > 1
          && ((load->p_vaddr - load->p_offset) & (load->p_align - 1)) != 0
          && load->p_filesz > 0)
        return violated (check, "a segment is not congruent", "");
    }
  return true;
}

/* Whether the old file maps its program header table by LOAD.  */
static bool
maps_table (const struct image *image, const GElf_Phdr *load)
{
  uint64_t size = image->n_segments * sizeof (Elf64_Phdr);
  return load->p_type == PT_LOAD && load->p_offset <= image->header.e_phoff
         && image->header.e_phoff + size <= load->p_offset + load->p_filesz;
}

static bool
check_table_mapped (const struct check *check)
{
  bool old = false, new = false;
  for (size_t i = 0; i < check->old->n_segments; i++)
    old |= maps_table (check->old, &check->old->segments[i]);
  for (size_t i = 0; i < check->new->n_segments; i++)
    new |= maps_table (check->new, &check->new->segments[i]);
  if (old && !new)
    return violated (check, "the program header table is not loaded", "");
  if (check->plan->strategy != LAYOUT_MOVE_TABLE
      && check->old->header.e_phoff != check->new->header.e_phoff)
    return violated (check, "the program header table has moved", "");
  return true;
}

/* Exactly one read-only segment around .sframe, and it says where.  */
static bool
check_sframe_segment (const struct check *check)
{
  const struct image *new = check->new;
  const struct layout_plan *plan = check->plan;
  size_t n_sframes = 0, n_loads = 0;
  for (size_t i = 0; i < new->n_segments; i++)
    {
      const GElf_Phdr *segment = &new->segments[i];
      if (segment->p_type == PT_GNU_SFRAME
          && segment->p_offset == plan->sframe_offset
          && segment->p_vaddr == plan->sframe_address
          && segment->p_filesz == plan->sframe_size
          && segment->p_memsz == plan->sframe_size)
        n_sframes++;
      if (segment->p_type == PT_LOAD
          && plan->sframe_address >= segment->p_vaddr
          && plan->sframe_address + plan->sframe_size
                 <= segment->p_vaddr + segment->p_filesz
          && plan->sframe_address - segment->p_vaddr
                 == plan->sframe_offset - segment->p_offset
          && (segment->p_flags & (PF_R | PF_W)) == PF_R)
        n_loads++;
    }
  if (n_sframes != 1)
    return violated (check, "PT_GNU_SFRAME is wrong", "");
  if (n_loads != 1)
    return violated (check, ".sframe is not loaded read-only", "");
  if (memcmp (new->bytes + plan->sframe_offset, check->sframe,
              plan->sframe_size)
      != 0)
    return violated (check, ".sframe has other contents", "");
  return true;
}

static bool
check_sframe_section (const struct check *check)
{
  const struct image_section *section
      = image_find_section (check->new, ".sframe");
  if (check->old->n_sections == 0 || check->old->section_names == 0)
    return true;
  if (section == NULL
      || section->header.sh_offset != check->plan->sframe_offset
      || section->header.sh_addr != check->plan->sframe_address
      || section->header.sh_size != check->plan->sframe_size)
    return violated (check, "section and segment of .sframe disagree", "");
  return true;
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
      return true;
    default:
      return false;
    }
}

static bool
is_interpreter (const struct check *check, const GElf_Shdr *header)
{
  const GElf_Phdr *interp = image_find_segment (check->new, PT_INTERP);
  return interp != NULL && interp->p_vaddr == header->sh_addr
         && interp->p_offset == header->sh_offset
         && interp->p_filesz == header->sh_size;
}

/* Only addresses and symbol values differ in these, at the planned places.  */
static bool
same_but_patched (const struct check *check, const GElf_Shdr *old,
                  const GElf_Shdr *new)
{
  uint64_t at = 0;
  while (at < old->sh_size)
    {
      uint64_t next = old->sh_size;
      uint64_t resume = next;
      for (size_t i = 0; i < check->plan->n_patches; i++)
        {
          const struct layout_patch *patch = &check->plan->patches[i];
          uint64_t begin = patch->offset - new->sh_offset;
          if (patch->offset >= new->sh_offset && begin >= at &&begin < next)
            {
              next = begin;
              resume = begin + patch->size;
            }
        }
      if (!same_bytes (check, old->sh_offset + at, new->sh_offset + at,
                       next - at))
        return false;
      at = resume;
    }
  return true;
}

static bool
check_section_contents (const struct check *check, size_t index)
{
  const struct image_section *section = &check->old->sections[index];
  const GElf_Shdr *old = &section->header;
  const GElf_Shdr *new = &check->new->sections[index].header;
  /* The names got a longer copy.  */
  if (index == check->old->section_names)
    return (new->sh_size >= old->sh_size &&memcmp (
                check->old->bytes + old->sh_offset,
                check->new->bytes + new->sh_offset, old->sh_size)
            == 0)
           || violated (check, "damaged", section->name);
  bool same
      = old->sh_type == SHT_NOBITS
            ? true
            : same_bytes (check, old->sh_offset, new->sh_offset, old->sh_size);
  if (!same && (old->sh_type == SHT_DYNAMIC || old->sh_type == SHT_SYMTAB))
    same = same_but_patched (check, old, new);
  return same || violated (check, "other contents in", section->name);
}

static bool
check_section (const struct check *check, size_t index)
{
  const char *name = check->old->sections[index].name;
  const GElf_Shdr *old = &check->old->sections[index].header;
  const GElf_Shdr *new = &check->new->sections[index].header;
  bool materialised = old->sh_type == SHT_NOBITS && new->sh_type != SHT_NOBITS;
  if ((old->sh_type != new->sh_type && !materialised)
      || old->sh_flags != new->sh_flags || old->sh_link != new->sh_link
      || old->sh_info != new->sh_info || old->sh_entsize != new->sh_entsize
      || (old->sh_size != new->sh_size &&index != check->old->section_names))
    return violated (check, "other header of", name);
  if ((old->sh_flags & SHF_ALLOC) && old->sh_addr != new->sh_addr
      && !may_move (old) && !is_interpreter (check, new))
    return violated (check, "other address of", name);
  return check_section_contents (check, index);
}

static bool
check_sections (const struct check *check)
{
  if (check->new->n_sections < check->old->n_sections
      || (check->old->n_sections > 0) != (check->new->n_sections > 0))
    return violated (check, "sections are missing", "");
  for (size_t i = 1; i < check->old->n_sections; i++)
    if (check->old->sections[i].header.sh_type != SHT_NULL
        && i != check->plan->replaced_section && !check_section (check, i))
      return false;
  return true;
}

/* The value of dynamic entry INDEX of IMAGE; false behind the last.  */
static bool
dynamic_entry (const struct image *image, size_t index, int64_t *tag,
               uint64_t *value)
{
  const GElf_Phdr *dynamic = image_find_segment (image, PT_DYNAMIC);
  if (dynamic == NULL || (index + 1) * sizeof (Elf64_Dyn) > dynamic->p_filesz)
    return false;
  const uint8_t *entry
      = image->bytes + dynamic->p_offset + index * sizeof (Elf64_Dyn);
  *tag = (int64_t)load_u64 (entry, image->big_endian);
  *value = load_u64 (entry + 8, image->big_endian);
  return *tag != DT_NULL;
}

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

/* Every dynamic entry is as before, or names a table that has moved; and none
   still names the old place of such a table.  */
static bool
check_dynamic (const struct check *check)
{
  int64_t old_tag, new_tag;
  uint64_t old_value, new_value;
  for (size_t i = 0; dynamic_entry (check->old, i, &old_tag, &old_value); i++)
    {
      if (!dynamic_entry (check->new, i, &new_tag, &new_value)
          || new_tag != old_tag)
        return violated (check, "other dynamic entries", "");
      bool is_table = names_table (old_tag);
      if (old_value != new_value
          && !(is_table && section_went (check, old_value, new_value)))
        return violated (check, "other value of a dynamic entry", "");
      if (is_table && old_value == new_value
          && !section_stayed (check, old_value))
        return violated (check, "a table has moved without its entry", "");
    }
  return true;
}

/* Whether NEW takes the place of OLD.  Notes may move; a PT_NOTE that only
   repeats PT_GNU_PROPERTY may be gone.  The contents of other segments are
   those of their sections, which are compared.  */
static bool
is_same_segment (const struct check *check, const GElf_Phdr *old,
                 const GElf_Phdr *new)
{
  bool movable = old->p_type == PT_NOTE || old->p_type == PT_INTERP
                 || old->p_type == PT_GNU_PROPERTY;
  bool same_type
      = new->p_type == old->p_type
        || (old->p_type == PT_NOTE && new->p_type == PT_GNU_PROPERTY);
  return same_type
         && new->p_filesz == old->p_filesz &&new->p_memsz == old->p_memsz
         && (movable ? same_bytes (check, old->p_offset, new->p_offset,
                                   old->p_filesz)
                     : new->p_vaddr == old->p_vaddr);
}

static bool
check_other_segments (const struct check *check)
{
  for (size_t i = 0; i < check->old->n_segments; i++)
    {
      const GElf_Phdr *old = &check->old->segments[i];
      if (old->p_type == PT_NULL || old->p_type == PT_LOAD
          || old->p_type == PT_PHDR || old->p_type == PT_GNU_SFRAME
          || old->p_filesz == 0)
        continue;
      bool found = false;
      for (size_t k = 0; k < check->new->n_segments && !found; k++)
        found = is_same_segment (check, old, &check->new->segments[k]);
      if (!found)
        return violated (check, "a segment is lost or damaged", "");
    }
  return true;
}

static bool
check_run (const struct check *check)
{
  if (check->new->header.e_entry != check->old->header.e_entry)
    return violated (check, "other entry point", "");
  return check_loads (check) && check_table_mapped (check)
         && check_sframe_segment (check) && check_sframe_section (check)
         && check_sections (check) && check_dynamic (check)
         && check_other_segments (check);
}

bool
inject_self_check (const struct image *image, const struct layout_plan *plan,
                   const void *sframe, int out_fd, struct error *err)
{
  struct stat status;
  if (fstat (out_fd, &status) != 0)
    return error_set_errno (err, "fstat");
  if (status.st_size <= 0 || (uint64_t)status.st_size < plan->new_size)
    return error_set (err, CFI2SFRAME_IO, "the new file is too short");
  size_t size = (size_t)status.st_size;
  void *bytes = mmap (NULL, size, PROT_READ, MAP_SHARED, out_fd, 0);
  if (bytes == MAP_FAILED)
    return error_set_errno (err, "mmap");
  struct image new;
  bool good = false;
  if (image_open_memory (&new, bytes, size, err))
    {
      struct check check = { image, &new, plan, sframe, err };
      good = check_run (&check);
      image_close (&new);
    }
  munmap (bytes, size);
  return good;
}
