/* What may move: sections and segments behind the table.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_UNIT_H
#define PLACE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/draft.h"

/* Some sections and segments that move as one.  */
struct unit
{
  uint64_t offset, size; /* in the old file */
  uint64_t address;
  uint64_t align;
  bool named; /* by a program header.  Its offset stays as far from its
                 address as it was: programs read notes, in memory, at the
                 ELF header's address + p_offset (profile runtime of clang
                 12 to 19) */
  bool leaves_pt_note; /* the PT_NOTE that it is in does not move with it,
                          because one is made for all notes */
  bool for_cores;      /* what readers of core files look for is in it */
  bool settled; /* new_offset is chosen, in the segment where the unit was or
                   in one that agrees with that; otherwise the unit goes
                   behind .sframe */
  uint64_t fallback; /* file offset for a unit that is named and not settled,
                        if it cannot go there; 0: none */
  uint64_t new_offset, new_address;
};

/* Let UNIT be the unit that begins at OFFSET, in the segment LOAD.
   unit->leaves_pt_note is to be set.  False with draft->reason when it may not
   move.  */
bool unit_find (const struct draft *draft, uint64_t offset,
                const GElf_Phdr *load, struct unit *unit);

/* Do the same for notes.  False unless it is notes that mean the same
   elsewhere, among them one that readers of cores look for.  Who knows the
   address of the notes does not matter: the caller leaves there what is
   there.  */
bool unit_find_notes (const struct draft *draft, uint64_t offset,
                      const GElf_Phdr *load, struct unit *unit);

/* Let UNIT move to file offset NEW_OFFSET, in the segment where it is.  */
void unit_settle (struct unit *unit, uint64_t new_offset);

/* Whether draft->references has an address in UNIT.  */
bool unit_is_referenced (const struct draft *draft, const struct unit *unit);

/* Code may have the addresses of UNIT up to this one.  */
uint64_t unit_known_end (const struct draft *draft, const struct unit *unit);

/* Give the headers of what is in UNIT its new place.  */
void unit_commit (struct draft *draft, const struct unit *unit);

/* Whether section INDEX may move on its own.  */
bool section_may_move (const struct draft *draft, size_t index);

#endif /* PLACE_UNIT_H */
