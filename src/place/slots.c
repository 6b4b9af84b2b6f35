/* Room for program headers: free slots, free bytes, eviction.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The program header table never moves, because strip, objcopy and others put
   it back behind the ELF header and destroy the file.  So what stands behind
   the table has to move.  */

#include "place/slots.h"

#include <string.h>

#include "place/facts.h"

enum
{
  HEADERS = 2,       /* that most files need: PT_LOAD and PT_GNU_SFRAME */
  SMALL_CHUNK = 4096 /* bytes of a chunk that is worth moving for a slot that
                        patchelf needs */
};

/* Have FREED reach over what nothing owns behind it, at most to the end of
   slots->load in the file.  Bytes that no header accounts for are free only if
   they are zeros or patchelf's filler; anything else may be in use without a
   header.  The section header table may be overwritten: a new one is made.  */
static bool
slots_free_gap (const struct layout *layout, struct header_slots *slots,
                struct interval *freed)
{
  unsigned left_out = slots->spare.notes.end > 0 ? LEAVE_OUT_NOTES : 0;
  uint64_t begin = freed->end;
  uint64_t filler_end = owner_next (layout->image, begin, left_out).begin;
  uint64_t wall
      = owner_next (layout->image, begin, left_out | LEAVE_OUT_SECTION_TABLE)
            .begin;
  uint64_t load_end = slots->load->p_offset + slots->load->p_filesz;
  freed->end = wall < load_end ? wall : load_end;
  if (filler_end > freed->end)
    filler_end = freed->end;
  return range_is_filler (layout->image, begin, filler_end)
         || layout_reject (layout, "unknown data behind the table");
}

/* Free the bytes behind the table that nothing owns.  */
static bool
slots_free_table_end (const struct layout *layout, struct header_slots *slots)
{
  uint64_t end = segment_table_range (layout->image).end;
  slots->evicted.freed[0] = (struct interval){ end, end };
  return slots_free_gap (layout, slots, &slots->evicted.freed[0]);
}

/* Evict the chunk behind FREED, and add its bytes to FREED.  */
static bool
slots_evict_one (const struct layout *layout, struct header_slots *slots,
                 struct interval *freed)
{
  const GElf_Phdr *load = slots->load;
  if (slots->evicted.n_chunks == CHUNKS_MAX
      || freed->end >= load->p_offset + load->p_filesz)
    return layout_reject (layout, "too little behind the table can move");
  struct chunk *chunk = &slots->evicted.chunks[slots->evicted.n_chunks];
  chunk->without_pt_note = slots->spare.notes.end > 0;
  if (!chunk_find (layout, freed->end, load, chunk))
    return false;
  slots->evicted.n_chunks++;
  freed->end = chunk->offset + chunk->size;
  return slots_free_gap (layout, slots, freed);
}

/* Begin anew with GAP, which slots_free_table_end has found.  Evict until the
   bytes up to BEGIN are free, and have places for what headers name: with ALL,
   behind BEGIN.  */
static bool
slots_evict (const struct layout *layout, struct header_slots *slots,
             struct interval gap, uint64_t begin, bool all)
{
  uint64_t end = begin;
  slots->evicted.n_chunks = 0;
  slots->evicted.freed[0] = gap;
  while (slots->evicted.freed[0].end < end)
    if (!slots_evict_one (layout, slots, &slots->evicted.freed[0]))
      return false;
    else if (!eviction_place_behind_table (&slots->evicted, begin, all, &end))
      return layout_reject (layout,
                            "the build-id has to stay in the first page");
  return eviction_find_fallbacks (layout, &slots->evicted, end, 0);
}

/* patchelf 0.14 to 0.18 adds a header without looking whether there is room;
   leave one slot when that costs little.  */
static void
slots_add_spare (const struct layout *layout, struct header_slots *slots,
                 struct interval gap, bool all)
{
  struct header_slots wider = *slots;
  if (!slots_evict (layout, &wider, gap,
                    slots->spare.table_end + sizeof (Elf64_Phdr), all))
    return;
  for (size_t i = slots->evicted.n_chunks; i < wider.evicted.n_chunks; i++)
    if (wider.evicted.chunks[i].size > SMALL_CHUNK)
      return;
  *slots = wider;
}

/* Find room, by eviction if there is too little.  */
static bool
slots_find_room (const struct layout *layout, struct header_slots *slots)
{
  uint64_t end = slots->spare.table_end;
  if (!slots_free_table_end (layout, slots))
    return false;
  const struct interval gap = slots->evicted.freed[0];
  if (gap.end >= end)
    return true;
  bool all = !slots_evict (layout, slots, gap, end, false);
  if (all && !slots_evict (layout, slots, gap, end, true))
    return false;
  slots_add_spare (layout, slots, gap, all);
  return true;
}

/* Give the chunks that are notes their places.  False if a note that has to
   move is not a chunk.  */
static bool
slots_settle_notes (struct header_slots *slots)
{
  for (size_t i = 0; i < slots->spare.notes.n_sections; i++)
    {
      const struct note_section *note = &slots->spare.notes.sections[i];
      bool found = note->new_offset == note->begin;
      for (size_t k = 0; k < slots->evicted.n_chunks; k++)
        if (slots->evicted.chunks[k].offset == note->begin
            && slots->evicted.chunks[k].size == note->end - note->begin)
          {
            chunk_place (&slots->evicted.chunks[k], note->new_offset);
            found = true;
          }
      if (!found)
        return false;
    }
  return true;
}

/* Free all bytes in front of the notes that stay, and as many behind them as
   the other notes need.  */
static bool
slots_make_holes (const struct layout *layout, struct header_slots *slots)
{
  const struct gathered_notes *notes = &slots->spare.notes;
  uint64_t stays = notes->sections[notes->first_stuck].begin;
  uint64_t stay_end = notes->sections[notes->last_staying].end;
  struct interval *front = &slots->evicted.freed[0];
  struct interval *behind = &slots->evicted.freed[1];
  if (!slots_free_table_end (layout, slots))
    return false;
  bool move = slots->spare.table_end > front->begin;
  for (size_t i = 0; i < notes->first_stuck; i++)
    move |= notes->sections[i].new_offset != notes->sections[i].begin;
  while (move && front->end < stays)
    if (!slots_evict_one (layout, slots, front))
      return false;
  *behind = (struct interval){ stay_end, stay_end };
  if (!slots_free_gap (layout, slots, behind))
    return false;
  while (behind->end < notes->end)
    if (!slots_evict_one (layout, slots, behind))
      return false;
  return front->end <= stays && front->end >= slots->spare.table_end
         && slots_settle_notes (slots)
         && eviction_find_fallbacks (layout, &slots->evicted,
                                     slots->spare.table_end, notes->end);
}

/* ---- Trials */

/* Ways to find room.  What moves less comes first.  */
static const struct trial
{
  bool pt_phdr;    /* take PT_PHDR, where it says nothing new */
  bool one_note;   /* arrange one PT_NOTE for all notes */
  bool behind_too; /* spare_headers_gather_notes */
} trials[] = { { false, false, false },
               { true, false, false },
               { true, true, false },
               { true, true, true } };

/* Carry TRIAL out, which changes nothing but SLOTS.  Programs at a fixed
   address have another way than one PT_NOTE, grow-down.  */
static bool
try_to_find (const struct layout *layout, const struct trial *trial, size_t n,
             struct header_slots *slots)
{
  *slots = (struct header_slots){ .spare.n_wanted = n };
  spare_headers_take (layout, &slots->spare, trial->pt_phdr);
  if (!trial->one_note && slots->spare.taken.n == n)
    return true;
  slots->load = owner_of_table (layout->image);
  if (slots->load == NULL)
    return layout_reject (layout, "no segment maps the program header table");
  if (!trial->one_note)
    return slots_find_room (layout, slots);
  return layout->header.e_type != ET_EXEC
         && spare_headers_gather_notes (layout, &slots->spare, slots->load,
                                        trial->behind_too)
         && slots_make_holes (layout, slots);
}

/* Do as slots_find does, but search nothing: only references that are in
   layout->references already keep a section from moving.  The reason why there
   is no room is that of the first trial.  */
static bool
find_without_search (const struct layout *layout, size_t n,
                     struct header_slots *slots)
{
  char reason[REASON_SIZE];
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
    {
      if (try_to_find (layout, &trials[i], n, slots))
        return true;
      if (i == 0)
        memcpy (reason, layout->reason, sizeof reason);
    }
  memcpy (layout->reason, reason, sizeof reason);
  return false;
}

/* From the first to the last address in what SLOTS evicts that code may have.
   False when there is none.  */
static bool
moved_addresses (const struct layout *layout, const struct header_slots *slots,
                 struct interval *addresses)
{
  if (slots->evicted.n_chunks == 0)
    return false;
  const struct chunk *last
      = &slots->evicted.chunks[slots->evicted.n_chunks - 1];
  *addresses = (struct interval){ slots->evicted.chunks[0].address,
                                  chunk_reference_end (layout, last) };
  return true;
}

/* Search for references to what SLOTS evicts, if that was not done before.
   True when there are none.  */
static bool
slots_are_proven (struct layout *layout, const struct header_slots *slots)
{
  struct references *known = &layout->references;
  struct interval moved;
  if (!moved_addresses (layout, slots, &moved)
      || (moved.begin >= known->begin && moved.end <= known->end))
    return true;
  if (known->end > 0)
    {
      moved.begin = moved.begin < known->begin ? moved.begin : known->begin;
      moved.end = moved.end > known->end ? moved.end : known->end;
    }
  references_find (known, layout->image, moved.begin, moved.end);
  for (size_t i = 0; i < slots->evicted.n_chunks; i++)
    if (chunk_is_referenced (layout, &slots->evicted.chunks[i]))
      return false;
  return true;
}

/* A search for references takes as long as reading all code.  So it is made
   only for sections that would be evicted; if it finds any, another set of
   sections is tried.  Each search covers more addresses than the one before.
   Sections within searched addresses need no search, so the loop ends.  */
bool
slots_find (struct layout *layout, size_t n, struct header_slots *slots)
{
  do
    if (!find_without_search (layout, n, slots))
      return false;
  while (!slots_are_proven (layout, slots));
  return true;
}

void
slots_search_ahead (struct references *references, const struct image *image)
{
  struct header_slots slots;
  struct interval addresses;
  char reason[REASON_SIZE] = "";
  if (image->arch == NULL || image->n_sections == 0)
    return;
  const struct layout layout = { .image = image,
                                 .header = image->header,
                                 .page = image_page (image),
                                 .loader = loader_is (image),
                                 .reason = reason };
  if (find_without_search (&layout, HEADERS, &slots)
      && moved_addresses (&layout, &slots, &addresses))
    references_find (references, image, addresses.begin, addresses.end);
}
