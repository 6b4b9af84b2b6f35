/* Room for program headers, as slots.c and those that help it find it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_HEADER_SLOTS_H
#define PLACE_HEADER_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "place/unit.h"
#include "place/facts.h"

enum
{
  NOTE_SECTIONS_MAX = 16, /* a handful is usual */
  NOTE_FILLERS_MAX = 2,
  UNITS_MAX = 32,     /* evicted units */
  SLOTS_TAKEN_MAX = 8 /* headers that go away */
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
  size_t kept; /* index of the PT_NOTE that gets all notes */
  /* What that header says then.  END 0: notes are not gathered.  */
  uint64_t begin, end, align;
  uint64_t fixed_begin, fixed_end; /* of the notes that keep their place */
  struct note_section sections[NOTE_SECTIONS_MAX]; /* ascending in the old
                                                      file */
  size_t n_sections;
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
  size_t taken[SLOTS_TAKEN_MAX]; /* indices of headers that go away */
  size_t n_taken;
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

#endif /* PLACE_HEADER_SLOTS_H */
