/* What made room for program headers, carried out: the evicted units get their
   places, and all that names them follows.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_SLOTS_COMMIT_H
#define PLACE_SLOTS_COMMIT_H

#include <stdbool.h>

#include "place/header_slots.h"

/* Rewrite everything that names the moved sections: headers, dynamic entries,
   symbols.  The units have places.  False with draft->err, also where an
   address that must change cannot.  */
bool slots_commit (struct draft *draft, struct header_slots *slots);

/* Add sections for new notes, and for bytes that eviction freed and nothing
   uses.  */
void slots_add_sections (struct draft *draft,
                         const struct header_slots *slots);

#endif /* PLACE_SLOTS_COMMIT_H */
