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
  uint64_t end;  /* of .sframe and what is evicted, in the file; 0: no byte and
                    no section is added */
  bool new_load; /* for all this there is a new segment, up to load_end */
  uint64_t load_end; /* a page's end behind END; 0: END */
  size_t load;       /* else the index of the segment, which grows up to END */
  struct header_slots slots; /* for the new headers, and what is evicted */
};

/* Put what is evicted behind .sframe and set place->end.  False when the
   address space is full.  */
bool place_fill (const struct draft *draft, struct place *place);

/* Make the plan: PLANNED, or FAILED when memory ran out.  */
enum attempt place_take (struct draft *draft, struct place *place);

#endif /* PLACE_PLACE_H */
