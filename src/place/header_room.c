/* Finding room for program headers: spare entries of the table, free bytes
   behind it, eviction.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The program header table never moves, because strip, objcopy and others put
   it back behind the ELF header and destroy the file.  header_room_find drops
   headers that no reader needs, takes bytes behind the table that have no
   owner, evicts sections, and may gather all notes in one PT_NOTE.  */

#include "place/header_room.h"

#include <string.h>

#include "place/facts.h"

enum
{
  HEADERS = 2, /* new headers of most files: PT_LOAD, PT_GNU_SFRAME */
  SPARE_PADDING_MAX = 1 << 16 /* bytes of the file for an entry that only
                                 patchelf needs */
};

/* Whether .sframe gets a segment of its own, and so no slack.  */
static bool
gets_new_load (const struct header_room *room)
{
  return room->spare.n_wanted >= HEADERS;
}

/* Extend FREED over the bytes behind it that have no owner, at most to the end
   of room->load.  Such bytes must be filler, because others may be in use
   without a header.  The section header table does not count as an owner,
   because the new file gets another one.  False with layout->reason.  */
static bool
extend_freed (const struct layout *layout, struct header_room *room,
              struct interval *freed)
{
  unsigned left_out = room->spare.notes.end > 0 ? LEAVE_OUT_NOTES : 0;
  uint64_t begin = freed->end;
  uint64_t filler_end = owner_next (layout->image, begin, left_out).begin;
  uint64_t owned
      = owner_next (layout->image, begin, left_out | LEAVE_OUT_SECTION_TABLE)
            .begin;
  uint64_t load_end = room->load->p_offset + room->load->p_filesz;
  freed->end = owned < load_end ? owned : load_end;
  if (filler_end > freed->end)
    filler_end = freed->end;
  return range_is_filler (layout->image, begin, filler_end)
         || layout_reject (layout, "unknown data behind the table");
}

/* Free the bytes behind the table that have no owner.  */
static bool
free_behind_table (const struct layout *layout, struct header_room *room)
{
  uint64_t end = segment_table_range (layout->image).end;
  room->eviction.freed[0] = (struct interval){ end, end };
  return extend_freed (layout, room, &room->eviction.freed[0]);
}

/* Evict the chunk behind FREED, and extend FREED over it.  */
static bool
evict_next (const struct layout *layout, struct header_room *room,
            struct interval *freed)
{
  const GElf_Phdr *load = room->load;
  if (room->eviction.n_chunks == CHUNKS_MAX
      || freed->end >= load->p_offset + load->p_filesz)
    return layout_reject (layout, "too little behind the table can move");
  struct chunk *chunk = &room->eviction.chunks[room->eviction.n_chunks];
  chunk->without_pt_note = room->spare.notes.end > 0;
  if (!chunk_find (layout, freed->end, load, chunk))
    return false;
  room->eviction.n_chunks++;
  freed->end = chunk->offset + chunk->size;
  return extend_freed (layout, room, freed);
}

/* Begin anew with GAP, the result of free_behind_table.  Evict chunks until
   the bytes up to BEGIN are free, and more for the chunks that go there: those
   for cores or, if ALL, all with a segment.  Find fallbacks for the
   others.  */
static bool
evict_up_to (const struct layout *layout, struct header_room *room,
             struct interval gap, uint64_t begin, bool all)
{
  uint64_t end = begin;
  room->eviction.n_chunks = 0;
  room->eviction.grown_segment = 0;
  room->eviction.freed[0] = gap;
  while (room->eviction.freed[0].end < end)
    if (!evict_next (layout, room, &room->eviction.freed[0]))
      return false;
    else if (!eviction_place_behind_table (&room->eviction, begin, all, &end))
      return layout_reject (layout,
                            "the build-id has to stay in the first page");
  return eviction_find_fallbacks (layout, &room->eviction, end, 0,
                                  gets_new_load (room));
}

/* Whether symbol tables behind .sframe cost more padding than the entry for
   patchelf is worth.  They cost about as much as the memory is longer than the
   file, and up to a page more, because .sframe begins at a page.  */
static bool
needs_much_padding (const struct image *image)
{
  const GElf_Phdr *last = image_last_load (image);
  uint64_t length
      = last->p_vaddr + last->p_memsz - image_first_load (image)->p_vaddr;
  return length > image->size && length - image->size > SPARE_PADDING_MAX;
}

/* Make room for one entry more if the chunks behind it may move: patchelf 0.14
   to 0.18 adds a header without a look behind the table.  */
static void
leave_spare_entry (const struct layout *layout, struct header_room *room,
                   struct interval gap, bool all)
{
  struct header_room wider = *room;
  if (evict_up_to (layout, &wider, gap,
                   room->spare.table_end + sizeof (Elf64_Phdr), all)
      && (eviction_has_symbol_fallbacks (&wider.eviction)
          || !eviction_has_symbol_fallbacks (&room->eviction)
          || !needs_much_padding (layout->image)))
    *room = wider;
}

/* Free the bytes of the longer table, by eviction if there are too few.  */
static bool
evict_for_table (const struct layout *layout, struct header_room *room)
{
  uint64_t end = room->spare.table_end;
  if (!free_behind_table (layout, room))
    return false;
  const struct interval gap = room->eviction.freed[0];
  if (gap.end >= end)
    return true;
  bool all = !evict_up_to (layout, room, gap, end, false);
  if (all && !evict_up_to (layout, room, gap, end, true))
    return false;
  leave_spare_entry (layout, room, gap, all);
  return true;
}

/* Place the chunks that are notes where spare_headers_gather_notes has put
   them.  False if a note that has to move is no chunk of its own.  */
static bool
place_notes (struct header_room *room)
{
  for (size_t i = 0; i < room->spare.notes.n_sections; i++)
    {
      const struct note_section *note = &room->spare.notes.sections[i];
      bool found = note->new_offset == note->begin;
      for (size_t k = 0; k < room->eviction.n_chunks; k++)
        if (room->eviction.chunks[k].offset == note->begin
            && room->eviction.chunks[k].size == note->end - note->begin)
          {
            chunk_place (&room->eviction.chunks[k], note->new_offset);
            found = true;
          }
      if (!found)
        return false;
    }
  return true;
}

/* Free all bytes in front of the notes that stay, and as many behind these as
   the other notes need.  Then place the notes and find fallbacks.  */
static bool
free_around_notes (const struct layout *layout, struct header_room *room)
{
  const struct gathered_notes *notes = &room->spare.notes;
  uint64_t stays = notes->sections[notes->first_fixed].begin;
  uint64_t stay_end = notes->sections[notes->last_unmoved].end;
  struct interval *front = &room->eviction.freed[0];
  struct interval *behind = &room->eviction.freed[1];
  if (!free_behind_table (layout, room))
    return false;
  bool move = room->spare.table_end > front->begin;
  for (size_t i = 0; i < notes->first_fixed; i++)
    move |= notes->sections[i].new_offset != notes->sections[i].begin;
  while (move && front->end < stays)
    if (!evict_next (layout, room, front))
      return false;
  *behind = (struct interval){ stay_end, stay_end };
  if (!extend_freed (layout, room, behind))
    return false;
  while (behind->end < notes->end)
    if (!evict_next (layout, room, behind))
      return false;
  return front->end <= stays && front->end >= room->spare.table_end
         && place_notes (room)
         && eviction_find_fallbacks (layout, &room->eviction,
                                     room->spare.table_end, notes->end,
                                     gets_new_load (room));
}

/* ---- Trials */

/* Ways to find room, those that move less first.  */
static const struct trial
{
  bool pt_phdr;      /* drop PT_PHDR, if the program does without it */
  bool gather_notes; /* gather all notes in one PT_NOTE */
  bool behind_too;   /* see spare_headers_gather_notes */
} trials[] = { { false, false, false },
               { true, false, false },
               { true, true, false },
               { true, true, true } };

/* Find room for N headers by the means of TRIAL.  Notes are not gathered in
   programs at a fixed address, for which there is grow-down.  */
static bool
try_trial (const struct layout *layout, const struct trial *trial, size_t n,
           struct header_room *room)
{
  *room = (struct header_room){ .spare.n_wanted = n };
  spare_headers_drop (layout, &room->spare, trial->pt_phdr);
  if (!trial->gather_notes && room->spare.dropped.n == n)
    return true;
  room->load = owner_of_table (layout->image);
  if (room->load == NULL)
    return layout_reject (layout, "no segment maps the program header table");
  if (!trial->gather_notes)
    return evict_for_table (layout, room);
  return layout->header.e_type != ET_EXEC
         && spare_headers_gather_notes (layout, &room->spare, room->load,
                                        trial->behind_too)
         && free_around_notes (layout, room);
}

/* Do what header_room_find does without a search: only references that are in
   layout->references already keep a section from moving.  Where there is no
   room, the reason is that of the first trial.  */
static bool
find_without_search (const struct layout *layout, size_t n,
                     struct header_room *room)
{
  char reason[REASON_SIZE];
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
    {
      if (try_trial (layout, &trials[i], n, room))
        return true;
      if (i == 0)
        memcpy (reason, layout->reason, sizeof reason);
    }
  memcpy (layout->reason, reason, sizeof reason);
  return false;
}

/* Set *ADDRESSES to the range of the evicted chunks, as far as code may refer
   to it.  False when no chunk is evicted.  */
static bool
moved_addresses (const struct layout *layout, const struct header_room *room,
                 struct interval *addresses)
{
  if (room->eviction.n_chunks == 0)
    return false;
  const struct chunk *last
      = &room->eviction.chunks[room->eviction.n_chunks - 1];
  *addresses = (struct interval){ room->eviction.chunks[0].address,
                                  chunk_reference_end (layout, last) };
  return true;
}

/* Whether nothing refers to the chunks that ROOM evicts.  Their addresses are
   searched for if that was not done before.  */
static bool
has_no_references (struct layout *layout, const struct header_room *room)
{
  struct references *known = &layout->references;
  struct interval moved;
  if (!moved_addresses (layout, room, &moved)
      || (moved.begin >= known->begin && moved.end <= known->end))
    return true;
  if (known->end > 0)
    {
      moved.begin = moved.begin < known->begin ? moved.begin : known->begin;
      moved.end = moved.end > known->end ? moved.end : known->end;
    }
  references_find (known, layout->image, moved.begin, moved.end);
  for (size_t i = 0; i < room->eviction.n_chunks; i++)
    if (chunk_is_referenced (layout, &room->eviction.chunks[i]))
      return false;
  return true;
}

/* A search for references takes as long as reading all code.  So only chunks
   that would be evicted are searched for.  If the search finds references to
   them, the next turn finds another set of chunks.  Each search covers more
   addresses, and chunks within searched addresses need no search, so the loop
   ends.  */
bool
header_room_find (struct layout *layout, size_t n, struct header_room *room)
{
  do
    if (!find_without_search (layout, n, room))
      return false;
  while (!has_no_references (layout, room));
  return true;
}

void
header_room_find_references (struct references *references,
                             const struct image *image)
{
  struct header_room room;
  struct interval addresses;
  char reason[REASON_SIZE] = "";
  if (image->arch == NULL || image->n_sections == 0)
    return;
  const struct layout layout = { .image = image,
                                 .header = image->header,
                                 .page = image_page (image),
                                 .loader = loader_is (image),
                                 .reason = reason };
  if (find_without_search (&layout, HEADERS, &room)
      && moved_addresses (&layout, &room, &addresses))
    references_find (references, image, addresses.begin, addresses.end);
}
