/* What may move, sections and segments behind the table, and where it goes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_UNIT_H
#define PLACE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/layout.h"

enum
{
  UNITS_MAX = 32 /* evicted units */
};

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
   unit->leaves_pt_note is to be set.  False with layout->reason when it may
   not move.  */
bool unit_find (const struct layout *layout, uint64_t offset,
                const GElf_Phdr *load, struct unit *unit);

/* Do the same for notes.  False unless it is notes that mean the same
   elsewhere, among them one that readers of cores look for.  Who knows the
   address of the notes does not matter: the caller leaves there what is
   there.  */
bool unit_find_notes (const struct layout *layout, uint64_t offset,
                      const GElf_Phdr *load, struct unit *unit);

/* Let UNIT move to file offset NEW_OFFSET, in the segment where it is.  */
void unit_settle (struct unit *unit, uint64_t new_offset);

/* Whether layout->references has an address in UNIT.  */
bool unit_is_referenced (const struct layout *layout, const struct unit *unit);

/* Code may have the addresses of UNIT up to this one.  */
uint64_t unit_known_end (const struct layout *layout, const struct unit *unit);

/* Give the headers of what is in UNIT its new place.  */
void unit_commit (struct layout *layout, const struct unit *unit);

/* Whether section INDEX may move on its own.  */
bool section_may_move (const struct layout *layout, size_t index);

/* What becomes of the units that stood behind the table:

     old file   header  table  unit  unit  unit  unit  what stays ...
     new file   header  table, longer  [1]  [3]  ... notes  [2]  ...
                segment HOME  [3]  ...  .sframe  [4]

   [1]: settled behind the table, by eviction_put_back: what readers of cores
   want in the first page.

   [2]: settled among the notes, where one PT_NOTE is made for all.

   [3]: settled at its fallback, in freed bytes or in the padding behind HOME,
   which grows: a unit that a program header names, if its address and its
   offset would not be as far from each other behind .sframe as they were.

   [4]: behind .sframe, all others.

   While slots.c looks for room it has [1] and [2] settled and fallbacks found.
   Only eviction_settle knows where .sframe is, and chooses between [3] and
   [4].  */
struct eviction
{
  struct unit units[UNITS_MAX];
  size_t n_units;
  struct interval freed[2]; /* the bytes: behind the table, and behind notes
                               that stay */
  size_t home; /* the segment that grows by units at their fallback places, if
                  there are any behind it */
};

/* Put units back behind BEGIN: those for cores, and with ALL whatever a header
   names.  *END: behind them.  False if what is for cores would leave the first
   page.  */
bool eviction_put_back (struct eviction *evicted, uint64_t begin, bool all,
                        uint64_t *end);

/* From where on the bytes are free that were freed behind the table: BEGIN, or
   behind the last unit that was settled there.  */
uint64_t eviction_front_end (const struct eviction *evicted, uint64_t begin);

/* Find places for the units that headers name, for the case that they cannot
   be behind .sframe: in the bytes that were freed, behind BEGIN and behind
   NOTES_END, or in the padding behind another segment.  */
bool eviction_find_fallbacks (const struct layout *layout,
                              struct eviction *evicted, uint64_t begin,
                              uint64_t notes_end);

/* Give the units that have none places behind file offset *END, which is
   loaded at ADDRESS, and move *END behind them; or the places they fall back
   to.  */
bool eviction_settle (struct eviction *evicted, uint64_t *end,
                      uint64_t address);

/* Have the units that have a place to fall back to go there, wherever .sframe
   is.  False if there are none.  */
bool eviction_fall_back (struct eviction *evicted);

/* Have the units at their places, and rewrite everything that names them:
   headers, dynamic entries, symbols.  False with layout->err, also where an
   address that must change cannot.  */
bool eviction_commit (struct layout *layout, const struct eviction *evicted);

#endif /* PLACE_UNIT_H */
