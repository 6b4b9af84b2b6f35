/* A spot for .sframe becomes a plan.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/spot.h"

#include "base/align.h"
#include "elf/notes.h"

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
          && eviction_settle (&spot->slots.evicted, &spot->end,
                              spot->address + size)
          && !__builtin_add_overflow (spot->address, spot->end - spot->offset,
                                      &end_address))
         || draft_impossible (draft, "the address space is full");
}

/* Have the PT_NOTE that is kept for all notes say so, and write the fillers
   between them.  */
static bool
commit_notes (struct draft *draft, const struct gathered_notes *notes)
{
  GElf_Phdr *kept = &draft->segments[notes->segments[0]];
  if (notes->end == 0)
    return true;
  uint64_t delta = notes->begin - kept->p_offset;
  segment_move (kept, delta, delta);
  kept->p_filesz = kept->p_memsz = notes->end - notes->begin;
  kept->p_align = notes->align;
  for (size_t i = 0; i < notes->n_fillers; i++)
    {
      uint8_t *bytes = plan_add_patch (draft->plan, notes->fillers[i],
                                       NOTE_FILLER_SIZE, draft->err);
      if (bytes == NULL)
        return false;
      note_filler_write (bytes, draft->image->big_endian);
    }
  return true;
}

/* ---- New sections */

/* patchelf rewrites ET_EXEC files by packing what it changes, .dynamic among
   it, into the bytes in front of the first PROGBITS section if they suffice,
   although that segment is not writable.  The bytes of an evicted table may
   suffice where the table did not leave any, so they get an owner again.  */
static void
add_gap_section (struct draft *draft, const struct header_slots *slots)
{
  uint64_t table_end = slots->spare.table_end;
  uint64_t begin = eviction_front_end (&slots->evicted, table_end);
  if (slots->evicted.n_units == 0 || draft->header.e_type != ET_EXEC)
    return;
  if (begin == table_end)
    begin += sizeof (Elf64_Phdr);
  begin = align_up (begin, 8);
  if (begin + GAP_MIN > slots->evicted.freed[0].end)
    return;
  draft_add_bytes (draft, ".old_tables", SHT_PROGBITS,
                   (struct interval){ begin, slots->evicted.freed[0].end }, 8);
}

static void
add_sections (struct draft *draft, const struct spot *spot)
{
  const struct gathered_notes *notes = &spot->slots.spare.notes;
  for (size_t i = 0; i < notes->n_fillers; i++)
    {
      uint64_t at = notes->fillers[i];
      draft_add_bytes (draft, ".note.filler", SHT_NOTE,
                       (struct interval){ at, at + NOTE_FILLER_SIZE }, 8);
    }
  add_gap_section (draft, &spot->slots);
  /* strip computes the size of a segment from its sections, so the bytes up to
     the page's end need one.  */
  if (spot->load_end > spot->end)
    draft_add_bytes (draft, ".page_padding", SHT_PROGBITS,
                     (struct interval){ spot->end, spot->load_end }, 1);
  draft_add_sframe_section (draft);
}

/* ---- The plan */

enum attempt
spot_take (struct draft *draft, const struct spot *spot)
{
  const struct header_slots *slots = &spot->slots;
  uint64_t end = spot->load_end > 0 ? spot->load_end : spot->end;
  bool adds = spot->end > 0;
  GElf_Phdr load = draft_new_segment (draft, PT_LOAD,
                                      (struct interval){ spot->offset, end },
                                      spot->address, draft->page);
  draft->plan->sframe_offset = spot->offset;
  draft->plan->sframe_address = spot->address;
  if (adds && !spot->new_load)
    {
      GElf_Phdr *grown = &draft->segments[spot->load];
      grown->p_filesz = grown->p_memsz = end - grown->p_offset;
    }
  if (end > draft->end)
    draft->end = end;
  if ((adds
       && !plan_clear (draft->plan, spot->offset, end - spot->offset,
                       draft->err))
      || !eviction_commit (draft, &slots->evicted)
      || !commit_notes (draft, &slots->spare.notes))
    return FAILED;
  draft_add_segments (draft, &slots->spare.taken,
                      spot->new_load ? &load : NULL);
  add_sections (draft, spot);
  return draft_finish (draft, !adds) ? PLANNED : FAILED;
}
