/* Looking for references to what will move, while the section is made.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An injection that moves sections reads all code first (references.c).  Which
   sections would move depends on the file, and hardly ever on the size of
   .sframe.  So the search can begin before that size is known, in a second
   thread.  */

#ifndef PLACE_REFERENCE_SEARCH_H
#define PLACE_REFERENCE_SEARCH_H

#include "elf/image.h"
#include "place/references.h"

/* Search IMAGE.  REFERENCES is zeroed, and stays so where nothing would move.
   choose_strategy searches by itself if other sections have to move than those
   that were expected to.  */
void reference_search (struct references *references,
                       const struct image *image);

#endif /* PLACE_REFERENCE_SEARCH_H */
