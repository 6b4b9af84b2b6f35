/* Room for program headers: free slots, free bytes, eviction.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The table never moves (strip, objcopy and friends put it back behind the
   ELF header and destroy the file), so what stands behind it has to.  */

#include "elf/layout_job.h"

#include <string.h>

enum
{
  SMALL_UNIT = 4096,    /* worth moving for patchelf's spare slot */
  GAP_MIN = 128,        /* smaller ones hold no .dynamic */
  RESIDENT_LIMIT = 4096 /* kernels before 6.12 look for the build-id only in
                           the first page of the file */
};

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

/* Bytes that no header accounts for are free only if they are zeros or
   patchelf's filler; anything else may be in use in a way we cannot see.  The
   section header table may be overwritten: a new one is made.  */
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

static bool
slots_suffice (struct layout_job *job, struct header_slots *slots)
{
  const struct image *image = job->image;
  slots->table_end = image->header.e_phoff
                     + (image->n_segments + slots->n_added - slots->n_taken)
                           * sizeof (Elf64_Phdr);
  return slots->n_taken == slots->n_added || slots_find_room (job, slots);
}

static bool
slots_find_unproven (struct layout_job *job, size_t n,
                     struct header_slots *slots)
{
  *slots = (struct header_slots){ .n_added = n, .resident = -1 };
  slots_take (job->image, slots, n);
  if (slots_suffice (job, slots))
    return true;
  char reason[sizeof job->reason];
  memcpy (reason, job->reason, sizeof reason);
  slots->n_units = 0;
  slots->resident = -1;
  slots_take_redundant (job, slots, n);
  job->notes = slots->notes;
  job->may_trim = true;
  bool found = slots_suffice (job, slots);
  job->notes = (struct note_union){ 0 };
  job->may_trim = false;
  if (!found)
    memcpy (job->reason, reason, sizeof reason);
  return found;
}

/* Whether references to all that SLOTS evicts have been looked for; look.  */
static bool
slots_are_proven (struct layout_job *job, const struct header_slots *slots)
{
  struct references *known = &job->references;
  const struct unit *first = &slots->units[0];
  const struct unit *last = &slots->units[slots->n_units - 1];
  uint64_t begin = first->address, end = unit_known_end (job, last);
  if (begin >= known->begin && end <= known->end)
    return true;
  if (known->end > 0)
    {
      begin = begin < known->begin ? begin : known->begin;
      end = end > known->end ? end : known->end;
    }
  references_find (known, job->image, begin, end);
  for (size_t i = 0; i < slots->n_units; i++)
    if (unit_is_referenced (job, &slots->units[i]))
      return false;
  return true;
}

/* Looking for references takes as long as reading all code, so it is done for
   what would be evicted; if there are any, another choice is tried.  */
bool
slots_find (struct layout_job *job, size_t n, struct header_slots *slots)
{
  do
    if (!slots_find_unproven (job, n, slots))
      return false;
  while (slots->n_units > 0 && !slots_are_proven (job, slots));
  return true;
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

bool
slots_commit (struct layout_job *job, struct header_slots *slots)
{
  if (slots->n_units == 0)
    return true;
  uint64_t begin = job->image->header.e_phoff
                   + job->image->n_segments * sizeof (Elf64_Phdr);
  if (!plan_clear (job->plan, begin, slots->room_end - begin, job->err))
    return false;
  for (size_t i = 0; i < slots->n_units; i++)
    {
      const struct unit *unit = &slots->units[i];
      if (!plan_copy (job->plan, unit->offset, unit->new_offset, unit->size,
                      job->err))
        return false;
      unit_commit (job, unit);
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
