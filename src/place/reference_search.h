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

struct reference_search; /* opaque */

/* A search in IMAGE, which must stay open until reference_search_free.
   NULL when memory ran out.  plan_injection searches by itself then,
   and also if other sections have to move than those that were expected to. */
struct reference_search *reference_search_new (const struct image *image);

/* Search.  plan_injection uses what was found.  SEARCH may be NULL,
   here and below.  */
void reference_search_run (struct reference_search *search);

/* What SEARCH found.  */
void reference_search_take (const struct reference_search *search,
                            struct references *references);

void reference_search_free (struct reference_search *search);

#endif /* PLACE_REFERENCE_SEARCH_H */
