/* Strategy grow-data: .sframe behind the BSS in the last segment.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For libraries and position-independent programs with code that points to
   their notes: 22 of 4,291 files (doc/formats/injection, "How often"), plugins
   of Qt 6 and programs of Firefox and Chromium.

   Needs one program header only.  The BSS gets bytes in the file, and what is
   not loaded shifts behind them.  The section is then mapped writable, though
   nothing writes there; hence this comes after everything that maps it
   read-only.  */

#include "place/bss_fill.h"
#include "place/spot.h"
#include "place/slots.h"
#include "place/strategy.h"

static enum attempt
try_grow_data (struct draft *draft)
{
  struct spot spot = { 0 };
  struct bss_fill fill = { 0 };
  if (!slots_find (draft, 1, &spot.slots) || !bss_fill_measure (draft, &fill))
    return DOES_NOT_APPLY;
  /* .sframe is at the start of a page, so that it is in no page that the
     program writes to.  */
  const GElf_Phdr *last = &draft->image->segments[fill.load];
  spot.offset = fill.new_end;
  spot.address = last->p_vaddr + (fill.new_end - last->p_offset);
  spot.load = fill.load;
  if (!spot_fill (draft, &spot))
    return DOES_NOT_APPLY;
  /* What is not loaded goes behind all of it.  */
  bss_fill_extend (&fill, spot.end);
  if (!bss_fill_commit (draft, &fill))
    return FAILED;
  return spot_take (draft, &spot);
}

const struct strategy strategy_grow_data
    = { .name = "grow-data", .files = OTHERS, .plan = try_grow_data };
