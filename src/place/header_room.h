/* Finding room for program headers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_HEADER_ROOM_H
#define PLACE_HEADER_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#include "place/spare_headers.h"
#include "place/eviction.h"

/* Room for program headers: what goes away, and what moves.  */
struct header_room
{
  struct spare_headers spare;
  const GElf_Phdr *load;    /* maps the table; NULL: nothing has to move */
  struct eviction eviction; /* from behind the table, in LOAD */
};

/* Find room for N more program headers without moving the table.  Code and
   data are searched for references to what would move; what is found stays in
   layout->references.  Units that have to stay in their segment are settled,
   others that a program header names have a place to fall back to, and the
   rest get theirs from eviction_place_rest.  False with layout->reason when
   there is no room.  */
bool header_room_find (struct layout *layout, size_t n,
                       struct header_room *room);

/* Search IMAGE for references to what header_room_find would move in most
   files. Which sections that are depends on the file, and hardly ever on the
   size of .sframe.  So the search, which reads all code, can begin in a second
   thread before that size is known.  REFERENCES is zeroed, and stays so where
   nothing would move.  header_room_find searches by itself if others have to
   move.  */
void header_room_find_references (struct references *references,
                                  const struct image *image);

#endif /* PLACE_HEADER_ROOM_H */
