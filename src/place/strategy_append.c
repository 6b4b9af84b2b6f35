/* Strategies spare-slot and evict: a new read-only segment behind the file's
   end, the program headers where they are.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For nearly all files that have no room behind a segment: of 4,291 files
   (doc/formats/injection, "How often"), 2,481 are converted by evict.  In 9,
   among them libraries that patchelf has changed, there is room for the
   headers without moving anything.  */

#include "base/align.h"
#include "place/spot.h"
#include "place/slots.h"
#include "place/strategy.h"

static enum attempt
try_append (struct draft *draft)
{
  struct spot spot = { .new_load = true };
  if (!slots_find (draft, 2, &spot.slots))
    return DOES_NOT_APPLY;

  /* Offset and address are congruent modulo the page without padding the
     file: the head of the first page shows the bytes in front of it.  */
  const GElf_Phdr *last = draft_last_load (draft);
  if (!align_up_checked (draft->image->size, 16, &spot.offset)
      || !align_up_checked (last->p_vaddr + last->p_memsz, draft->page,
                            &spot.address)
      || __builtin_add_overflow (spot.address, spot.offset & (draft->page - 1),
                                 &spot.address))
    return draft_impossible (draft, "the address space is full");
  if (!spot_fill (draft, &spot))
    return DOES_NOT_APPLY;
  return spot_take (draft, &spot);
}

const struct strategy strategy_append = { .name = "spare-slot",
                                          .evicting = "evict",
                                          .files = OTHERS,
                                          .explains = true,
                                          .plan = try_append };
