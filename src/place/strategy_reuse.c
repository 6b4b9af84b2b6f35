/* Strategy reuse: the new .sframe in the place of an older one that is not
   smaller.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For files that have an .sframe, of this program or of a linker: none of
   4,291 files of distributions (doc/formats/injection, "How often"), and
   each file that is converted a second time.

   Nothing grows and nothing moves: the program header and the section header
   get new sizes, in their tables.  Where the old section had no program header
   (lld 22 links one without) a free slot in the table is needed.  */

#include <config.h>

#include "place/spot.h"
#include "place/slots.h"
#include "place/strategy.h"

/* Whether a read-only segment has the bytes of the old .sframe.  */
static bool
is_mapped (const struct draft *draft)
{
  const struct sframe_place *old = draft->request->replaced;
  const GElf_Phdr *load = image_load_at (draft->image, old->address);
  return load != NULL && (load->p_flags & (PF_R | PF_W)) == PF_R
         && image_bytes_at (draft->image, old->address, old->size)
                == draft->image->bytes + old->offset;
}

static enum attempt
try_reuse (struct draft *draft)
{
  const struct sframe_place *old = draft->request->replaced;
  struct spot spot = { 0 };
  if (old == NULL || old->section == 0)
    return draft_impossible (draft, "no section to reuse");
  if (draft->request->sframe_size > old->size || (old->address & 7) != 0
      || !is_mapped (draft))
    return draft_impossible (
        draft, "the new .sframe does not fit in the old one's place");
  /* Evicted sections would have nowhere to go.  */
  if (!slots_find (draft, 1, &spot.slots) || spot.slots.n_units > 0)
    return draft_impossible (draft, "no free program header");
  spot.offset = old->offset;
  spot.address = old->address;
  return spot_take (draft, &spot);
}

const struct strategy strategy_reuse = { .name = "reuse", .plan = try_reuse };
