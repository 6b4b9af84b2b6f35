/* Strategies spare-slot and evict for the dynamic loader itself.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For ld.so of glibc and musl: 4 of 4,291 files (doc/formats/injection, "How
   often"), by which all the others are started.

   Kernels up to 6.6 map the interpreter with one BSS computation at the end:
   with a segment behind the BSS, the BSS is not zeroed, and a last segment
   that is read-only makes exec fail.  So the BSS is given bytes in the file,
   and the new segment ends at a page boundary, where there is nothing left to
   zero.  */

#include "base/align.h"
#include "place/bss_fill.h"
#include "place/spot.h"
#include "place/slots.h"
#include "place/strategy.h"

static enum attempt
try_loader (struct draft *draft)
{
  struct spot spot = { .new_load = true };
  struct bss_fill fill = { 0 };
  if (!slots_find (draft, 2, &spot.slots) || !bss_fill_measure (draft, &fill))
    return DOES_NOT_APPLY;
  const GElf_Phdr *last = &draft->image->segments[fill.load];
  /* .sframe is at the start of a page, so that strip cannot put it into the
     page of the BSS.  */
  if (!align_up_checked (draft->image->size + fill.shift, draft->page,
                         &spot.offset))
    return draft_impossible (draft, "the address space is full");
  spot.address = last->p_vaddr + (fill.new_end - last->p_offset);
  if (!spot_fill (draft, &spot)
      || !align_up_checked (spot.end, draft->page, &spot.load_end))
    return draft_impossible (draft, "the address space is full");
  if (!bss_fill_commit (draft, &fill))
    return FAILED;
  return spot_take (draft, &spot);
}

const struct strategy strategy_loader = { .name = "spare-slot",
                                          .evicting = "evict",
                                          .files = LOADERS,
                                          .explains = true,
                                          .plan = try_loader };
