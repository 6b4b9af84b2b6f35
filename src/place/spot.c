/* A spot for .sframe becomes a plan.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/spot.h"

#include "base/align.h"
#include "elf/notes.h"
#include "place/dynamic_addresses.h"
#include "place/headers.h"

enum
{
  GAP_MIN = 128 /* smaller gaps hold no .dynamic */
};

bool
spot_fill (const struct draft *draft, struct spot *spot)
{
  uint64_t size = draft->request->sframe_size;
  uint64_t end_address;
  return (!__builtin_add_overflow (spot->offset, size, &spot->end)
          && unit_places_settle (&spot->slots, &spot->end,
                                 spot->address + size)
          && !__builtin_add_overflow (spot->address, spot->end - spot->offset,
                                      &end_address))
         || draft_impossible (draft, "the address space is full");
}

/* ---- What was evicted */

/* Let HOME end with UNIT, if that is behind it.  */
static void
grow_home (GElf_Phdr *home, const struct unit *unit)
{
  if (unit->new_offset >= home->p_offset + home->p_filesz)
    home->p_filesz = home->p_memsz
        = unit->new_offset + unit->size - home->p_offset;
}

/* Have the evicted units at their places, and rewrite everything that names
   them: headers, dynamic entries, symbols.  False with draft->err, also where
   an address that must change cannot.  */
static bool
commit_units (struct draft *draft, const struct header_slots *slots)
{
  const struct gathered_notes *notes = &slots->notes;
  draft->n_evicted = slots->n_units;
  if (slots->n_units == 0)
    return true;
  for (size_t i = 0; i < 2; i++)
    if (!plan_clear (draft->plan, slots->freed[i].begin,
                     slots->freed[i].end - slots->freed[i].begin, draft->err))
      return false;
  for (size_t i = 0; i < slots->n_units; i++)
    {
      const struct unit *unit = &slots->units[i];
      if (!plan_copy (draft->plan, unit->offset, unit->new_offset, unit->size,
                      draft->err))
        return false;
      unit_commit (draft, unit);
      if (unit->settled && slots->home != 0)
        grow_home (&draft->segments[slots->home], unit);
    }
  for (size_t i = 0; i < notes->n_fillers; i++)
    {
      uint8_t *bytes = plan_add_patch (draft->plan, notes->fillers[i],
                                       NOTE_FILLER_SIZE, draft->err);
      if (bytes == NULL)
        return false;
      note_filler_write (bytes, draft->image->big_endian);
    }
  return dynamic_addresses_patch (draft)
         && dynamic_addresses_patch_symbols (draft);
}

/* ---- New sections */

static void
add_filler_sections (struct draft *draft, const struct header_slots *slots)
{
  const struct gathered_notes *notes = &slots->notes;
  for (size_t i = 0; i < notes->n_fillers; i++)
    {
      uint64_t at = notes->fillers[i];
      headers_add_bytes (draft, ".note.filler", SHT_NOTE,
                         (struct interval){ at, at + NOTE_FILLER_SIZE }, 8);
    }
}

/* patchelf rewrites ET_EXEC files by packing what it changes, .dynamic among
   it, into the bytes in front of the first PROGBITS section if they suffice,
   although that segment is not writable.  The bytes of an evicted table may
   suffice where the table did not leave any, so they get an owner again.  */
static void
add_gap_section (struct draft *draft, const struct header_slots *slots)
{
  uint64_t begin = unit_places_front_end (slots, slots->table_end);
  if (slots->n_units == 0 || draft->header.e_type != ET_EXEC)
    return;
  if (begin == slots->table_end)
    begin += sizeof (Elf64_Phdr);
  begin = align_up (begin, 8);
  if (begin + GAP_MIN > slots->freed[0].end)
    return;
  headers_add_bytes (draft, ".old_tables", SHT_PROGBITS,
                     (struct interval){ begin, slots->freed[0].end }, 8);
}

/* Where the bytes of SPOT end that are loaded.  */
static uint64_t
loaded_end (const struct spot *spot)
{
  return spot->load_end > 0 ? spot->load_end : spot->end;
}

/* strip computes the size of a segment from its sections, so the bytes up to
   the page's end need one.  */
static void
add_padding_section (struct draft *draft, const struct spot *spot)
{
  if (spot->load_end > spot->end)
    headers_add_bytes (draft, ".page_padding", SHT_PROGBITS,
                       (struct interval){ spot->end, spot->load_end }, 1);
}

/* ---- The plan */

/* The bytes of SPOT become those of a segment.  */
static bool
take_bytes (struct draft *draft, const struct spot *spot)
{
  uint64_t end = loaded_end (spot);
  if (end > draft->end)
    draft->end = end;
  if (!spot->new_load)
    {
      GElf_Phdr *load = &draft->segments[spot->load];
      load->p_filesz = load->p_memsz = end - load->p_offset;
    }
  return plan_clear (draft->plan, spot->offset, end - spot->offset,
                     draft->err);
}

enum attempt
spot_take (struct draft *draft, const struct spot *spot)
{
  struct plan *plan = draft->plan;
  bool adds = spot->end > 0;
  GElf_Phdr load = headers_segment (
      draft, PT_LOAD, (struct interval){ spot->offset, loaded_end (spot) },
      spot->address, draft->page);
  plan->sframe_offset = spot->offset;
  plan->sframe_address = spot->address;
  if ((adds && !take_bytes (draft, spot))
      || !commit_units (draft, &spot->slots))
    return FAILED;
  headers_add_segments (draft, &spot->slots, spot->new_load ? &load : NULL);
  add_filler_sections (draft, &spot->slots);
  add_gap_section (draft, &spot->slots);
  add_padding_section (draft, spot);
  headers_add_sframe_section (draft);
  return (adds ? headers_finish (draft) : headers_finish_in_place (draft))
             ? PLANNED
             : FAILED;
}
