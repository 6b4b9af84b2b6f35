/* Program headers whose slots can be taken.  Either they say nothing new, or
   one PT_NOTE is arranged for all notes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_SPARE_HEADERS_H
#define PLACE_SPARE_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/layout.h"

enum
{
  NOTE_FILLERS_MAX = 2
};

/* A section of notes.  */
struct note_section
{
  uint64_t begin, end; /* in the old file */
  uint64_t align;
  bool fixed;          /* it has to keep its place, because code may know it */
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
  size_t first_fixed, last_fixed;     /* indices of sections that are fixed */
  size_t last_unmoved;                /* the last one that keeps its place */
  uint64_t fillers[NOTE_FILLERS_MAX]; /* offsets of notes that are new */
  size_t n_fillers;
};

struct spare_headers
{
  size_t n_wanted;            /* new headers, including those in taken slots */
  struct segment_set dropped; /* headers that go away; there may be more */
  struct gathered_notes notes;
  uint64_t table_end; /* of the new table, in the file */
};

/* Take headers that say nothing or nothing new, as long as SPARE has less than
   n_wanted of them; with PT_PHDR also that, where it repeats what another
   header says.  A PT_GNU_SFRAME is empty, or it has the .sframe that is to be
   replaced.  Set table_end.  */
void spare_headers_drop (const struct layout *layout,
                         struct spare_headers *spare, bool pt_phdr);

/* Take all PT_NOTEs but one, set table_end, and find places in LOAD for all
   notes, so that the remaining one can have them.  BEHIND_TOO: also for notes
   that stand behind those that must stay, and could keep their places.  */
bool spare_headers_gather_notes (const struct layout *layout,
                                 struct spare_headers *spare,
                                 const GElf_Phdr *load, bool behind_too);

#endif /* PLACE_SPARE_HEADERS_H */
