/* Headers that say nothing new.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_REDUNDANT_HEADER_H
#define PLACE_REDUNDANT_HEADER_H

#include <stddef.h>

#include "place/header_slots.h"

/* Take PT_PHDR into SLOTS, if there is one and no reader needs it.  */
void slots_take_table_header (const struct draft *draft,
                              struct header_slots *slots, size_t n);

#endif /* PLACE_REDUNDANT_HEADER_H */
