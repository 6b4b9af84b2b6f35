/* What made room for program headers, carried out.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/slots_commit.h"

#include "base/align.h"
#include "elf/notes.h"
#include "place/dynamic_addresses.h"
#include "place/headers.h"
#include "place/unit_places.h"

enum
{
  GAP_MIN = 128 /* smaller gaps hold no .dynamic */
};

/* Let HOME end with UNIT, if that is behind it.  */
static void
grow_home (GElf_Phdr *home, const struct unit *unit)
{
  if (unit->new_offset >= home->p_offset + home->p_filesz)
    home->p_filesz = home->p_memsz
        = unit->new_offset + unit->size - home->p_offset;
}

bool
slots_commit (struct draft *draft, struct header_slots *slots)
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

void
slots_add_sections (struct draft *draft, const struct header_slots *slots)
{
  add_filler_sections (draft, slots);
  add_gap_section (draft, slots);
}
