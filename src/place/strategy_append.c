/* Strategies spare-slot and evict: a new read-only segment behind the file's
   end, the program headers where they are.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For nearly all files that have no room behind a segment: of 4,291 files
   (doc/formats/injection, "How often"), 2,481 are converted by evict.  In 9,
   among them libraries that patchelf has changed, there is room for the
   headers without moving anything.  */

#include "base/align.h"
#include "place/place.h"
#include "place/slots.h"
#include "place/strategy.h"

static enum attempt
try_append (struct draft *draft)
{
  struct place place = { .new_load = true };
  if (!slots_find (draft, 2, &place.slots))
    return DOES_NOT_APPLY;

  /* Offset and address are congruent modulo the page without padding the
     file: the head of the first page shows the bytes in front of it.  */
  const GElf_Phdr *last = draft_last_load (draft);
  if (!align_up_checked (draft->image->size, 16, &place.offset)
      || !align_up_checked (last->p_vaddr + last->p_memsz, draft->page,
                            &place.address)
      || __builtin_add_overflow (
          place.address, place.offset & (draft->page - 1), &place.address)
      || !place_fill (draft, &place))
    return draft_impossible (draft, "the address space is full");
  return place_take (draft, &place);
}

const struct strategy strategy_append = { .name = "spare-slot",
                                          .evicting = "evict",
                                          .files = OTHERS,
                                          .explains = true,
                                          .plan = try_append };
