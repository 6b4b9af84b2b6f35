/* Looking for references to what will move, while the section is made.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/reference_search.h"

#include "place/loader.h"
#include "place/slots.h"

enum
{
  HEADERS = 2 /* that most files need: PT_LOAD and PT_GNU_SFRAME */
};

void
reference_search (struct references *references, const struct image *image)
{
  struct header_slots slots;
  struct interval addresses;
  if (image->arch == NULL || image->n_sections == 0)
    return;
  struct draft draft = { .image = image,
                         .header = image->header,
                         .page = image_page (image),
                         .loader = loader_is (image) };
  if (slots_find_without_search (&draft, HEADERS, &slots)
      && slots_moved_addresses (&draft, &slots, &addresses))
    references_find (references, image, addresses.begin, addresses.end);
}
