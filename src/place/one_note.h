/* One PT_NOTE for several.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_ONE_NOTE_H
#define PLACE_ONE_NOTE_H

#include <stdbool.h>

#include "place/header_slots.h"

/* Take all PT_NOTEs but one into SLOTS, compute table_end, and find places in
   LOAD for all notes, so that the remaining one can have them.  BEHIND_TOO:
   also for notes that stand behind those that must stay, and could keep their
   places.  */
bool one_note_gather (const struct draft *draft, struct header_slots *slots,
                      const GElf_Phdr *load, bool behind_too);

#endif /* PLACE_ONE_NOTE_H */
