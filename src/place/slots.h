/* Finding room for program headers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_SLOTS_H
#define PLACE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/header_slots.h"

/* Find room for N more program headers without moving the table.  Code and
   data are searched for references to what would move; what is found stays in
   draft->references.  Units that have to stay in their segment are settled,
   others that a program header names have a place to fall back to, and the
   rest get theirs from place_fill.  False with draft->reason when there is no
   room.  */
bool slots_find (struct draft *draft, size_t n, struct header_slots *slots);

/* Take headers of TYPE that are there already, as long as SLOTS has less than
   N of them.  A PT_GNU_SFRAME is empty, or that of the .sframe to be replaced.
 */
void slots_take_type (const struct image *image, struct header_slots *slots,
                      size_t n, uint32_t type);

/* Do as slots_find does, but search nothing: only references that are in
   draft->references already keep a section from moving.  */
bool slots_find_without_search (struct draft *draft, size_t n,
                                struct header_slots *slots);

/* From the first to the last address in what SLOTS evicts that code may have.
   False when there is none.  */
bool slots_moved_addresses (const struct draft *draft,
                            const struct header_slots *slots,
                            struct interval *addresses);

/* From where on the bytes are free that eviction freed behind the table:
   BEGIN, or behind the last unit that was settled there.  */
uint64_t slots_front_end (const struct header_slots *slots, uint64_t begin);

#endif /* PLACE_SLOTS_H */
