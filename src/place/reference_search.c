/* Looking for references to what will move, while the section is made.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/reference_search.h"

#include <stdlib.h>

#include "place/loader.h"
#include "place/slots.h"

enum
{
  HEADERS = 2 /* that most files need: PT_LOAD and PT_GNU_SFRAME */
};

struct reference_search
{
  const struct image *image;
  struct references references; /* in no addresses, where nothing would move */
};

/* Find the addresses of what would move.  */
static bool
find_addresses (const struct image *image, struct interval *addresses)
{
  if (image->arch == NULL)
    return false;
  struct header_slots slots;
  struct draft draft = { .image = image,
                         .header = image->header,
                         .page = image_page (image),
                         .loader = loader_is (image) };
  return image->n_sections > 0
         && slots_find_without_search (&draft, HEADERS, &slots)
         && slots_moved_addresses (&draft, &slots, addresses);
}

struct reference_search *
reference_search_new (const struct image *image)
{
  struct reference_search *search = calloc (1, sizeof *search);
  if (search != NULL)
    search->image = image;
  return search;
}

void
reference_search_run (struct reference_search *search)
{
  struct interval addresses;
  if (search != NULL && find_addresses (search->image, &addresses))
    references_find (&search->references, search->image, addresses.begin,
                     addresses.end);
}

void
reference_search_take (const struct reference_search *search,
                       struct references *references)
{
  *references = search->references;
}

void
reference_search_free (struct reference_search *search)
{
  free (search);
}
