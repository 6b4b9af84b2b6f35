/* Finding room for more program headers, without moving the table.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_HEADER_ROOM_H
#define PLACE_HEADER_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "place/eviction.h"
#include "place/spare_headers.h"

/* How room is made: by headers that are dropped, and chunks that move.  */
struct header_room
{
  struct spare_headers spare;
  const GElf_Phdr *load;    /* the PT_LOAD with the table; NULL: no chunk has
                               to move */
  struct eviction eviction; /* of chunks in LOAD */
};

/* Find room for N more program headers.  Code and data are searched for
   references to chunks that would move; layout->references keeps what is
   found.  Some chunks are placed.  Of the others, those with a segment have a
   fallback, and those with a symbol table may have one; eviction_place_rest
   places them.  False with layout->reason.  */
bool header_room_find (struct layout *layout, size_t n,
                       struct header_room *room);

/* Find references to the sections that header_room_find would move in most
   files, for plan_request.references.  Which sections move depends on the
   file, and hardly ever on the size of .sframe.  So the search, which reads
   all code, can run in a second thread before that size is known.  The caller
   has zeroed REFERENCES; they stay so where nothing would move.  If other
   sections have to move in the end, header_room_find searches again.  */
void header_room_find_references (struct references *references,
                                  const struct image *image);

#endif /* PLACE_HEADER_ROOM_H */
