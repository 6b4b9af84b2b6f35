/* Notes that strategy grow-down copies in front of the old file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What readers of cores look for has to be in the first page of the file.  The
   bytes also stay where they were, because code may know their address.  */

#ifndef PLACE_FRONT_NOTES_H
#define PLACE_FRONT_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/header_slots.h"

struct front_notes
{
  struct unit units[NOTE_SECTIONS_MAX];
  size_t n;
  size_t n_looked_at;    /* units, also those that are not taken */
  size_t n_bound;        /* units that take their PT_NOTE along */
  struct interval alone; /* the others, in the new file: one header */
};

/* Find the notes.  */
void front_notes_find (const struct draft *draft, struct front_notes *notes);

/* How many program headers they add.  */
size_t front_notes_headers (const struct front_notes *notes);

/* Give the notes places behind *AT, and move *AT behind them.  False if they
   do not fit into the first page.  */
bool front_notes_place (struct front_notes *notes, uint64_t *at);

/* Copy the notes there.  What names them names the copy.  The old file, and
   all offsets in the draft, have moved by DISTANCE.  */
bool front_notes_commit (struct draft *draft, const struct front_notes *notes,
                         uint64_t distance);

/* Add sections for the bytes that stay, or move *END behind those that follow
   the old file's headers, which end there.  */
void front_notes_add_sections (struct draft *draft,
                               const struct front_notes *notes,
                               uint64_t distance, uint64_t *end);

#endif /* PLACE_FRONT_NOTES_H */
