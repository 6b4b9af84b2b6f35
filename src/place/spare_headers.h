/* Program headers that can be dropped, so that new ones take their entries.
   SPDX-License-Identifier: LGPL-2.1-or-later

   No reader needs them (PT_NULL, a PT_NOTE that repeats PT_GNU_PROPERTY, some
   PT_PHDRs), or they are PT_NOTEs whose notes another PT_NOTE gets.  */

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
  bool fixed;          /* it has to stay, because code may have its address */
  uint64_t new_offset; /* BEGIN, if it stays */
};

/* An arrangement of notes, so that one PT_NOTE has all of them.  */
struct gathered_notes
{
  size_t segments[NOTE_SECTIONS_MAX]; /* indices of the PT_NOTEs.  The first
                                         gets all notes, the others go */
  size_t n_segments;
  uint64_t begin, end, align; /* of the new PT_NOTE; END 0: the notes are not
                                 gathered */
  struct note_section sections[NOTE_SECTIONS_MAX]; /* ascending in the old
                                                      file */
  size_t n_sections;
  size_t first_fixed, last_fixed; /* indices of fixed sections */
  size_t last_unmoved;            /* index of the last section that stays */
  uint64_t fillers[NOTE_FILLERS_MAX]; /* offsets of new, empty notes */
  size_t n_fillers;
};

struct spare_headers
{
  size_t n_wanted;            /* number of new headers */
  struct segment_set dropped; /* may be more than n_wanted */
  struct gathered_notes notes;
  uint64_t table_end; /* file offset of the new table's end */
};

/* Drop headers that no reader needs, until spare->n_wanted are dropped, and
   set table_end.  PT_GNU_SFRAME is among them, because it is empty or has the
   .sframe that is replaced, and with PT_PHDR also that header, if the program
   does without it.  */
void spare_headers_drop (const struct layout *layout,
                         struct spare_headers *spare, bool pt_phdr);

/* Drop all PT_NOTEs but one, set table_end, and find places in LOAD for all
   notes, so that the remaining PT_NOTE can have them.  With BEHIND_TOO, notes
   behind the fixed ones are moved, too, although they could stay.  False if
   readers would not find all notes again.  */
bool spare_headers_gather_notes (const struct layout *layout,
                                 struct spare_headers *spare,
                                 const GElf_Phdr *load, bool behind_too);

#endif /* PLACE_SPARE_HEADERS_H */
