/* Room for program headers: free slots, free bytes, eviction.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The table never moves (strip, objcopy and friends put it back behind the
   ELF header and destroy the file), so what stands behind it has to.  */

#include "elf/layout_private.h"

#include <string.h>

#include "base/bytes.h"

enum
{
  PASSES_MAX = 64,      /* of growing a unit to its overlapping members */
  SMALL_UNIT = 4096,    /* worth moving for patchelf's spare slot */
  GAP_MIN = 128,        /* smaller ones hold no .dynamic */
  RESIDENT_LIMIT = 4096 /* kernels before 6.12 look for the build-id only in
                           the first page of the file */
};

/* systemd.io, "ELF Package Metadata" and "ELF dlopen Metadata".  */
static const uint32_t NOTE_FDO_PACKAGING = 0xcafe1a7e;
static const uint32_t NOTE_FDO_DLOPEN = 0x407c0c0a;

static bool
is_movable_segment (uint32_t type)
{
  return type == PT_NOTE || type == PT_INTERP || type == PT_GNU_PROPERTY;
}

static bool
overlaps (uint64_t begin, uint64_t size, const struct unit *unit)
{
  uint64_t end = unit->offset + unit->size;
  return begin < end && begin + (size ? size : 1) > unit->offset;
}

static bool
has_contents (const GElf_Shdr *header)
{
  return header->sh_type != SHT_NULL && header->sh_type != SHT_NOBITS
         && (header->sh_size > 0 || (header->sh_flags & SHF_ALLOC));
}

static bool
unit_include (struct unit *unit, uint64_t begin, uint64_t size, uint64_t align)
{
  uint64_t end = unit->offset + unit->size;
  bool grown = begin < unit->offset || begin + size > end;
  if (begin + size > end)
    end = begin + size;
  if (begin < unit->offset)
    unit->offset = begin;
  unit->size = end - unit->offset;
  if (align > unit->align)
    unit->align = align;
  return grown;
}

/* One pass of growing UNIT to the union of everything that overlaps it.  */
static bool
unit_grow (const struct image *image, struct unit *unit)
{
  bool grown = false;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (has_contents (header)
          && overlaps (header->sh_offset, header->sh_size, unit))
        grown |= unit_include (unit, header->sh_offset, header->sh_size,
                               header->sh_addralign);
    }
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
      if (is_movable_segment (segment->p_type) && segment->p_filesz > 0
          && overlaps (segment->p_offset, segment->p_filesz, unit))
        grown |= unit_include (unit, segment->p_offset, segment->p_filesz,
                               segment->p_align);
    }
  return grown;
}

/* Notes that nobody reaches by address: the ABI tag, the build-id and the
   properties of owner GNU, and package metadata (JSON text, owner FDO).
   Others may hold PC-relative pointers (Crashpad).  */
static bool
note_is_plain (const uint8_t *name, uint32_t type, bool *build_id)
{
  if (memcmp (name, "FDO", 4) == 0)
    return type == NOTE_FDO_PACKAGING || type == NOTE_FDO_DLOPEN;
  if (memcmp (name, "GNU", 4) != 0)
    return false;
  if (type == NT_GNU_BUILD_ID)
    *build_id = true;
  return type == NT_GNU_ABI_TAG || type == NT_GNU_BUILD_ID
         || type == NT_GNU_PROPERTY_TYPE_0;
}

static bool
notes_are_plain (const struct image *image,
                 const struct image_section *section, bool *build_id)
{
  const uint8_t *bytes = image_section_bytes (image, section);
  uint64_t size = section->header.sh_size;
  uint64_t align = section->header.sh_addralign == 8 ? 8 : 4;
  if (bytes == NULL)
    return false;
  for (uint64_t at = 0; at < size;)
    {
      if (size - at < 16)
        return false;
      uint32_t name = load_u32 (bytes + at, image->big_endian);
      uint64_t desc = load_u32 (bytes + at + 4, image->big_endian);
      uint32_t type = load_u32 (bytes + at + 8, image->big_endian);
      if (name != 4 || !note_is_plain (bytes + at + 12, type, build_id)
          || desc > size - at - 16)
        return false;
      /* The last note's padding may be missing.  */
      desc = (desc + align - 1) & ~(align - 1);
      at += 16 + desc;
    }
  return size > 0;
}

static bool
is_interpreter (const struct image *image, const GElf_Shdr *header)
{
  const GElf_Phdr *interp = image_find_segment (image, PT_INTERP);
  return interp != NULL && interp->p_offset == header->sh_offset
         && interp->p_filesz == header->sh_size
         && interp->p_vaddr == header->sh_addr;
}

/* ldconfig and others find dynamic strings by rules of their own; only in
   static-pie, which nobody looks up anything in, they may move.  */
static bool
is_idle_string_table (const struct image *image, const GElf_Shdr *header)
{
  uint64_t value;
  return header->sh_type == SHT_STRTAB
         && dynamic_holds (image, DT_STRTAB, header->sh_addr)
         && image_find_segment (image, PT_INTERP) == NULL
         && !dynamic_find (image, DT_NEEDED, &value)
         && !dynamic_find (image, DT_SONAME, &value)
         && !dynamic_find (image, DT_VERNEED, &value)
         && !dynamic_find (image, DT_VERDEF, &value);
}

/* Nobody but headers, PT_NOTE and .dynamic knows where this section is.  */
static bool
section_is_evictable (const struct image *image, size_t index,
                      struct unit *unit)
{
  const struct image_section *section = &image->sections[index];
  const GElf_Shdr *header = &section->header;
  if (header->sh_flags != SHF_ALLOC || header->sh_size == 0
      || header->sh_addr != unit->address + (header->sh_offset - unit->offset))
    return false;
  switch (header->sh_type)
    {
    case SHT_PROGBITS:
      return is_interpreter (image, header);
    case SHT_NOTE:
      return notes_are_plain (image, section, &unit->build_id)
             && !section_has_symbol (image, index);
    case SHT_STRTAB:
      return is_idle_string_table (image, header);
    default:
      {
        int64_t tag = dynamic_tag_of (header->sh_type);
        return tag != DT_NULL && dynamic_holds (image, tag, header->sh_addr);
      }
    }
}

static bool
unit_sections_evictable (struct layout_job *job, struct unit *unit)
{
  const struct image *image = job->image;
  uint64_t covered = 0;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const struct image_section *section = &image->sections[i];
      if (!has_contents (&section->header)
          || !overlaps (section->header.sh_offset, section->header.sh_size,
                        unit))
        continue;
      if (!section_is_evictable (image, i, unit))
        {
          job_not (job,
                   "no room for program headers: %.40s stands behind "
                   "the table and cannot move",
                   section->name);
          return false;
        }
      covered += section->header.sh_size;
    }
  if (covered == 0)
    job_not (job, "no room for program headers: the bytes behind the table "
                  "belong to no section");
  return covered > 0;
}

static bool
unit_segments_evictable (struct layout_job *job, const struct unit *unit,
                         const GElf_Phdr *load)
{
  for (size_t i = 0; i < job->image->n_segments; i++)
    {
      const GElf_Phdr *segment = &job->image->segments[i];
      bool shifts = segment->p_vaddr - segment->p_offset
                    == load->p_vaddr - load->p_offset;
      if (segment->p_type != PT_LOAD && segment->p_type != PT_NULL
          && segment->p_filesz > 0
          && overlaps (segment->p_offset, segment->p_filesz, unit)
          && !(is_movable_segment (segment->p_type) && shifts))
        {
          job_not (job,
                   "no room for program headers: segment %zu stands "
                   "behind the table and cannot move",
                   i);
          return false;
        }
    }
  return true;
}

/* The unit whose first byte is at OFFSET.  */
static bool
unit_find (struct layout_job *job, uint64_t offset, const GElf_Phdr *load,
           struct unit *unit)
{
  *unit = (struct unit){ .offset = offset, .size = 1, .align = 1 };
  int passes = 0;
  while (unit_grow (job->image, unit))
    if (++passes > PASSES_MAX)
      break;
  unit->address = load->p_vaddr + (unit->offset - load->p_offset);
  if (passes > PASSES_MAX || unit->offset != offset
      || (unit->align & (unit->align - 1)) != 0 || unit->align > PAGE_MIN
      || unit->offset + unit->size > load->p_offset + load->p_filesz)
    {
      job_not (job, "no room for program headers: the sections behind the "
                    "table are entangled");
      return false;
    }
  return unit_sections_evictable (job, unit)
         && unit_segments_evictable (job, unit, load);
}

/* The first owned byte behind FROM, at most LOAD's end in the file.  */
static uint64_t
next_wall (const struct layout_job *job, uint64_t from, const GElf_Phdr *load)
{
  uint64_t wall = owner_next (job->image, from, false).begin;
  uint64_t end = load->p_offset + load->p_filesz;
  return wall < end ? wall : end;
}

/* What patchelf leaves where a section was: 'X', since 0.17 'Z'.  */
static bool
is_filler (const struct image *image, uint64_t begin, uint64_t end)
{
  for (uint64_t i = begin; i < end; i++)
    if (image->bytes[i] != 0 && image->bytes[i] != 'X'
        && image->bytes[i] != 'Z')
      return false;
  return true;
}

/* Other bytes that belong to nobody are somebody's.  The section header table
   may be overwritten: a new one is made.  */
static bool
gap_is_free (struct layout_job *job, uint64_t begin, uint64_t wall)
{
  uint64_t end = owner_next (job->image, begin, true).begin;
  if (end > wall)
    end = wall;
  if (is_filler (job->image, begin, end))
    return true;
  job_not (job, "no room for program headers: unknown data behind the table");
  return false;
}

static bool
slots_evict_one (struct layout_job *job, struct header_slots *slots,
                 const GElf_Phdr *load)
{
  if (slots->n_units == UNITS_MAX
      || slots->room_end >= load->p_offset + load->p_filesz)
    {
      job_not (job, "no room for program headers");
      return false;
    }
  struct unit *unit = &slots->units[slots->n_units];
  if (!unit_find (job, slots->room_end, load, unit))
    return false;
  uint64_t end = unit->offset + unit->size;
  slots->n_units++;
  slots->room_end = next_wall (job, end, load);
  return gap_is_free (job, end, slots->room_end);
}

/* Put the build-id back behind BEGIN if that keeps it in the first page;
   evict more units as long as that helps.  */
static bool
slots_keep_build_id (struct layout_job *job, struct header_slots *slots,
                     uint64_t begin, const GElf_Phdr *load)
{
  for (size_t i = 0; i < slots->n_units; i++)
    {
      struct unit *unit = &slots->units[i];
      if (!unit->build_id || unit->offset + unit->size > RESIDENT_LIMIT)
        continue;
      uint64_t place = begin;
      round_to_residue (&place, unit->offset, unit->align);
      if (place + unit->size > RESIDENT_LIMIT)
        return false;
      while (place + unit->size > slots->room_end)
        if (!slots_evict_one (job, slots, load))
          return false;
      unit->new_offset = place;
      unit->new_address = load->p_vaddr + (place - load->p_offset);
      slots->resident = (int)i;
      return true;
    }
  return true;
}

/* Evict until BYTES behind the start of the table are free.  */
static bool
slots_evict (struct layout_job *job, struct header_slots *slots,
             uint64_t begin, bool keep_build_id, const GElf_Phdr *load)
{
  slots->n_units = 0;
  slots->resident = -1;
  slots->room_end
      = next_wall (job,
                   job->image->header.e_phoff
                       + job->image->n_segments * sizeof (Elf64_Phdr),
                   load);
  while (slots->room_end < begin)
    if (!slots_evict_one (job, slots, load))
      return false;
  return !keep_build_id || slots_keep_build_id (job, slots, begin, load);
}

/* patchelf 0.14 to 0.18 adds a header without looking whether there is room;
   leave one slot when that costs little.  */
static void
slots_add_spare (struct layout_job *job, struct header_slots *slots,
                 bool keep_build_id, const GElf_Phdr *load)
{
  struct header_slots wider = *slots;
  if (!slots_evict (job, &wider, slots->table_end + sizeof (Elf64_Phdr),
                    keep_build_id, load))
    return;
  for (size_t i = slots->n_units; i < wider.n_units; i++)
    if (wider.units[i].size > SMALL_UNIT)
      return;
  *slots = wider;
}

static bool
slots_find_room (struct layout_job *job, struct header_slots *slots)
{
  const struct image *image = job->image;
  const GElf_Phdr *load = owner_of_table (image);
  uint64_t begin
      = image->header.e_phoff + image->n_segments * sizeof (Elf64_Phdr);
  if (image->n_sections == 0)
    {
      job_not (job, "no room for program headers, and without section "
                    "headers none can be made");
      return false;
    }
  if (load == NULL)
    {
      job_not (job, "no segment maps the program header table");
      return false;
    }
  uint64_t wall = next_wall (job, begin, load);
  if (!gap_is_free (job, begin, wall))
    return false;
  if (wall >= slots->table_end)
    {
      slots->room_end = wall;
      return true;
    }
  bool keep_build_id = slots_evict (job, slots, slots->table_end, true, load);
  if (!keep_build_id
      && !slots_evict (job, slots, slots->table_end, false, load))
    return false;
  slots_add_spare (job, slots, keep_build_id, load);
  return true;
}

/* A PT_NOTE for the bytes of a PT_GNU_PROPERTY says nothing new.  */
static bool
is_doubled_note (const struct image *image, size_t index)
{
  const GElf_Phdr *note = &image->segments[index];
  const GElf_Phdr *property = image_find_segment (image, PT_GNU_PROPERTY);
  return note->p_type == PT_NOTE && property != NULL && property->p_filesz > 0
         && note->p_offset == property->p_offset
         && note->p_filesz == property->p_filesz;
}

void
slots_take_old (const struct image *image, struct header_slots *slots,
                size_t n)
{
  for (size_t i = 0; i < image->n_segments && slots->n_taken < n; i++)
    if (image->segments[i].p_type == PT_GNU_SFRAME)
      slots->taken[slots->n_taken++] = i;
}

static void
slots_take (const struct image *image, struct header_slots *slots, size_t n)
{
  slots_take_old (image, slots, n);
  for (size_t i = 0; i < image->n_segments && slots->n_taken < n; i++)
    if (image->segments[i].p_type == PT_NULL)
      slots->taken[slots->n_taken++] = i;
  for (size_t i = 0; i < image->n_segments && slots->n_taken < n; i++)
    if (is_doubled_note (image, i))
      slots->taken[slots->n_taken++] = i;
}

bool
slots_find (struct layout_job *job, size_t n, struct header_slots *slots)
{
  const struct image *image = job->image;
  *slots = (struct header_slots){ .n_added = n, .resident = -1 };
  slots_take (image, slots, n);
  slots->table_end
      = image->header.e_phoff
        + (image->n_segments + n - slots->n_taken) * sizeof (Elf64_Phdr);
  return slots->n_taken == n || slots_find_room (job, slots);
}

bool
slots_place_units (struct header_slots *slots, uint64_t *end, uint64_t address)
{
  uint64_t begin = *end;
  for (size_t i = 0; i < slots->n_units; i++)
    {
      struct unit *unit = &slots->units[i];
      if ((int)i == slots->resident)
        continue;
      uint64_t place = address + (*end - begin);
      uint64_t before = place;
      if (!round_to_residue (&place, unit->address, unit->align))
        return false;
      unit->new_offset = *end + (place - before);
      unit->new_address = place;
      if (__builtin_add_overflow (unit->new_offset, unit->size, end))
        return false;
    }
  return true;
}

static void
unit_commit_headers (struct layout_job *job, const struct unit *unit)
{
  const struct image *image = job->image;
  uint64_t offset_delta = unit->new_offset - unit->offset;
  uint64_t delta = unit->new_address - unit->address;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (!has_contents (header)
          || !overlaps (header->sh_offset, header->sh_size, unit))
        continue;
      job->moved[i] = delta;
      job->sections[i].sh_addr += delta;
      job->sections[i].sh_offset += offset_delta;
    }
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
      if (!is_movable_segment (segment->p_type) || segment->p_filesz == 0
          || !overlaps (segment->p_offset, segment->p_filesz, unit))
        continue;
      job->segments[i].p_offset += offset_delta;
      job->segments[i].p_vaddr += delta;
      job->segments[i].p_paddr += delta;
    }
}

bool
slots_commit (struct layout_job *job, struct header_slots *slots)
{
  if (slots->n_units == 0)
    return true;
  uint64_t begin = job->image->header.e_phoff
                   + job->image->n_segments * sizeof (Elf64_Phdr);
  if (!plan_clear (job, begin, slots->room_end - begin))
    return false;
  for (size_t i = 0; i < slots->n_units; i++)
    {
      const struct unit *unit = &slots->units[i];
      if (!plan_copy (job, unit->offset, unit->new_offset, unit->size))
        return false;
      unit_commit_headers (job, unit);
    }
  return dynamic_patch (job) && symbols_patch (job);
}

/* patchelf rewrites ET_EXEC files by packing what it changes, .dynamic among
   it, into the bytes in front of the first PROGBITS section if they suffice,
   although that segment is not writable.  The bytes of an evicted table may
   suffice where the table did not leave any, so they get an owner again.  */
void
slots_own_gap (struct layout_job *job, const struct header_slots *slots)
{
  uint64_t begin = slots->table_end + sizeof (Elf64_Phdr);
  if (slots->n_units == 0 || job->header.e_type != ET_EXEC)
    return;
  if (slots->resident >= 0)
    begin = slots->units[slots->resident].new_offset
            + slots->units[slots->resident].size;
  begin = (begin + 7) & ~(uint64_t)7;
  if (begin + GAP_MIN > slots->room_end)
    return;
  const GElf_Phdr *load = owner_of_table (job->image);
  GElf_Shdr header = { .sh_type = SHT_PROGBITS,
                       .sh_flags = SHF_ALLOC,
                       .sh_addr = load->p_vaddr + (begin - load->p_offset),
                       .sh_offset = begin,
                       .sh_size = slots->room_end - begin,
                       .sh_addralign = 8 };
  table_add_section (job, ".old_tables", &header);
}
