/* Strategies spare-slot and evict: a new read-only segment behind the file's
   end, the program headers where they are.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For nearly all files that have no room behind a segment: of 4,291 files
   (doc/formats/injection, "How often"), 2,481 are converted by evict.  9 find
   room for the headers without moving anything, such as libraries that
   patchelf has changed.  */

#include "base/align.h"
#include "place/place.h"
#include "place/slots.h"
#include "place/strategy.h"

static int
try_append (struct placing *placing)
{
  struct place place = { .new_load = true };
  if (!slots_find (placing, 2, &place.slots))
    return 0;

  /* Offset and address are congruent modulo the page without padding the
     file: the head of the first page shows the bytes in front of it.  */
  const GElf_Phdr *last = placing_last_load (placing);
  if (!round_up (placing->image->size, 16, &place.offset)
      || !round_up (last->p_vaddr + last->p_memsz, placing->page,
                    &place.address)
      || __builtin_add_overflow (
          place.address, place.offset & (placing->page - 1), &place.address)
      || !place_fill (placing, &place))
    return placing_impossible (placing, "the address space is full");
  return place_take (placing, &place);
}

const struct strategy strategy_append = { .name = "spare-slot",
                                          .evicting = "evict",
                                          .files = OTHERS,
                                          .explains = true,
                                          .plan = try_append };
