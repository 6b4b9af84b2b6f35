/* Where the units go that stood behind the table.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_UNIT_PLACES_H
#define PLACE_UNIT_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "place/header_slots.h"

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

#endif /* PLACE_UNIT_PLACES_H */
