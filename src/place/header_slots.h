/* Room for program headers, as slots.c and those that help it find it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_HEADER_SLOTS_H
#define PLACE_HEADER_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/facts.h"
#include "place/unit.h"

enum
{
  NOTE_SECTIONS_MAX = 16, /* a handful is usual */
  NOTE_FILLERS_MAX = 2,
  UNITS_MAX = 32 /* evicted units */
};

/* A section of notes.  */
struct note_section
{
  uint64_t begin, end; /* in the old file */
  uint64_t align;
  bool stuck;          /* it has to keep its place, because code may know it */
  uint64_t new_offset; /* BEGIN, if it keeps its place */
};

/* A way to have one PT_NOTE for all notes.  */
struct gathered_notes
{
  size_t segments[NOTE_SECTIONS_MAX]; /* the PT_NOTEs, by index; the first one
                                         gets all notes */
  size_t n_segments;
  /* What that header says then.  END 0: notes are not gathered.  */
  uint64_t begin, end, align;
  struct note_section sections[NOTE_SECTIONS_MAX]; /* ascending in the old
                                                      file */
  size_t n_sections;
  size_t first_stuck, last_stuck;     /* indices of sections that are stuck */
  size_t last_staying;                /* the last one that keeps its place */
  uint64_t fillers[NOTE_FILLERS_MAX]; /* offsets of notes that are new */
  size_t n_fillers;
};

/* What becomes of the units that stood behind the table:

     old file   header  table  unit  unit  unit  unit  what stays ...
     new file   header  table, longer  [1]  [3]  ... notes  [2]  ...
                segment HOME  [3]  ...  .sframe  [4]

   [1]: settled behind the table, by unit_places_put_back: what readers of
   cores want in the first page.

   [2]: settled among the notes, where one PT_NOTE is made for all.

   [3]: settled at its fallback, in freed bytes or in the padding behind HOME,
   which grows: a unit that a program header names, if its address and its
   offset would not be as far from each other behind .sframe as they were.

   [4]: behind .sframe, all others.

   While slots.c looks for room it has [1] and [2] settled and fallbacks found.
   Only unit_places_settle knows where .sframe is, and chooses between [3] and
   [4].  */
struct header_slots
{
  struct segment_set taken; /* headers that go away */
  struct gathered_notes notes;
  size_t n_added;     /* new headers, including those in taken slots */
  uint64_t table_end; /* of the new table, in the file */
  struct unit units[UNITS_MAX];
  size_t n_units;
  struct interval freed[2]; /* bytes that eviction freed: behind the table, and
                            behind notes that stay */
  size_t home; /* the segment that grows by units at their fallback
                  places, if there are any behind it */
};

/* ---- spare_headers.c: headers whose slots can be taken */

/* Compute slots->table_end.  */
void slots_set_table_end (const struct image *image,
                          struct header_slots *slots);

/* Take headers of TYPE that are there already, as long as SLOTS has less than
   n_added of them.  A PT_GNU_SFRAME is empty, or it has the .sframe that is to
   be replaced.  */
void spare_headers_take_type (const struct image *image,
                              struct header_slots *slots, uint32_t type);

/* Take, in the same way, headers that say nothing or nothing new.  */
void spare_headers_take (const struct image *image,
                         struct header_slots *slots);

/* Take PT_PHDR, where it repeats what another header says.  */
void spare_headers_take_pt_phdr (const struct draft *draft,
                                 struct header_slots *slots);

/* ---- one_note.c: one PT_NOTE for several */

/* Take all PT_NOTEs but one into SLOTS, compute table_end, and find places in
   LOAD for all notes, so that the remaining one can have them.  BEHIND_TOO:
   also for notes that stand behind those that must stay, and could keep their
   places.  */
bool one_note_gather (const struct draft *draft, struct header_slots *slots,
                      const GElf_Phdr *load, bool behind_too);

/* ---- unit_places.c: where the units go that stood behind the table */

/* Put units back behind BEGIN: those for cores, and with ALL whatever a header
   names.  *END: behind them.  False if what is for cores would leave the first
   page.  */
bool unit_places_put_back (struct header_slots *slots, uint64_t begin,
                           bool all, uint64_t *end);

/* From where on the bytes are free that eviction freed behind the table:
   BEGIN, or behind the last unit that was settled there.  */
uint64_t unit_places_front_end (const struct header_slots *slots,
                                uint64_t begin);

/* Find places for the units that headers name, for the case that they cannot
   be behind .sframe: in the bytes that eviction freed, behind BEGIN and behind
   the notes, or in the padding behind another segment.  */
bool unit_places_find_fallbacks (const struct draft *draft,
                                 struct header_slots *slots, uint64_t begin);

/* Give the units that have none places behind file offset *END, which is
   loaded at ADDRESS, and move *END behind them; or the places they fall back
   to.  */
bool unit_places_settle (struct header_slots *slots, uint64_t *end,
                         uint64_t address);

/* Have the units that have a place to fall back to go there, wherever .sframe
   is.  False if there are none.  */
bool unit_places_fall_back (struct header_slots *slots);

#endif /* PLACE_HEADER_SLOTS_H */
