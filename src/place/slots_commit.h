/* What made room for program headers, carried out: the evicted units get their
   places, and all that names them follows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_SLOTS_COMMIT_H
#define PLACE_SLOTS_COMMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "place/header_slots.h"

/* Give the units that have none places behind file offset *END, which is
   loaded at ADDRESS, and move *END behind them; or the places they fall back
   to.  */
bool slots_settle_units (struct header_slots *slots, uint64_t *end,
                         uint64_t address);

/* Have the units that have a place to fall back to go there, wherever .sframe
   is.  False if there are none.  */
bool slots_fall_back (struct header_slots *slots);

/* Rewrite everything that names the moved sections: headers, dynamic entries,
   symbols.  The units have places.  False with draft->err, also where an
   address that must change cannot.  */
bool slots_commit (struct draft *draft, struct header_slots *slots);

/* Add sections for new notes, and for bytes that eviction freed and nothing
   uses.  */
void slots_add_sections (struct draft *draft,
                         const struct header_slots *slots);

#endif /* PLACE_SLOTS_COMMIT_H */
