/* What strategies that leave the table where it is share.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_PLACE_H
#define PLACE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/header_slots.h"

/* A place for .sframe.  END is set by place_fill.  */
struct place
{
  uint64_t offset, address; /* of .sframe; 0 modulo 8 */
  uint64_t end;  /* of .sframe and the units behind it, in the file; 0: no byte
                    and no section is added */
  bool new_load; /* for all this there is a new segment, up to load_end */
  uint64_t load_end; /* a page's end behind END; 0: END */
  size_t load;       /* else the index of the segment, which grows up to END */
  struct header_slots slots; /* for the new headers, and what is evicted */
};

/* Give each unit of place->slots a place that has none: behind .sframe, or, if
   offset and address of a unit that a program header names would disagree
   there, where it falls back to (slots_settle_units).  Set place->end behind
   .sframe and the units that follow it.  False when the address space is full;
   then PLACE is half-made.  The draft is not changed.  */
bool place_fill (const struct draft *draft, struct place *place);

/* Commit: make the plan of PLACE, with all units where place_fill or
   slots_find has put them.  PLANNED, or FAILED with draft->err (draft.h).  */
enum attempt place_take (struct draft *draft, struct place *place);

#endif /* PLACE_PLACE_H */
