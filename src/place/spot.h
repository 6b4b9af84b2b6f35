/* Where .sframe goes, for strategies that leave the table where it is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_SPOT_H
#define PLACE_SPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/slots.h"

/* Where .sframe goes, with all that moves for it.  END is set by spot_fill. */
struct spot
{
  uint64_t offset, address; /* of .sframe; 0 modulo 8 */
  uint64_t end;  /* of .sframe and the units behind it, in the file; 0: no byte
                    and no section is added */
  bool new_load; /* for all this there is a new segment, up to load_end */
  uint64_t load_end; /* a page's end behind END; 0: END */
  size_t load;       /* else the index of the segment, which grows up to END */
  struct header_slots slots; /* for the new headers, and what is evicted */
};

/* Give each unit of spot->slots a place that has none: behind .sframe, or, if
   offset and address of a unit that a program header names would disagree
   there, where it falls back to (eviction_settle).  Set spot->end behind
   .sframe and the units that follow it.  False with draft->reason when the
   address space is full; then SPOT is half-made.  The draft is not changed. */
bool spot_fill (const struct draft *draft, struct spot *spot);

/* Commit: make the plan of SPOT, with all units where spot_fill or
   slots_find has put them.  PLANNED, or FAILED with draft->err (draft.h).  */
enum attempt spot_take (struct draft *draft, const struct spot *spot);

#endif /* PLACE_SPOT_H */
