/* Strategy slack: .sframe fits into the padding behind a segment.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For files in which the linker began a segment at a new page: 1,733 of 4,291
   files (doc/formats/injection, "How often").  */

#include "base/align.h"
#include "place/spot.h"
#include "place/slack.h"
#include "place/slots.h"
#include "place/unit_places.h"
#include "place/strategy.h"

/* Whether what is evicted falls back to bytes of SPOT.  Segments that end
   with the same bytes of the file have the same padding.  */
static bool
meets_units (const struct spot *spot)
{
  for (size_t i = 0; i < spot->slots.n_units; i++)
    {
      const struct unit *unit = &spot->slots.units[i];
      if (unit->settled && unit->new_offset < spot->end
          && unit->new_offset + unit->size > spot->offset)
        return true;
    }
  return false;
}

static bool
all_fits (const struct draft *draft, struct spot *spot)
{
  return spot_fill (draft, spot)
         && slack_reaches (draft, spot->load, spot->end)
         && !meets_units (spot);
}

/* Set SPOT to what is behind segment INDEX, if all fits there, or all but the
   units that can fall back to another spot.  Otherwise SPOT is as it was:
   spot_fill settles units at their fallback places, and a unit that is
   settled for one segment may be in the way behind another.  */
static bool
slack_fits (const struct draft *draft, struct spot *spot, size_t index)
{
  const GElf_Phdr *load = &draft->image->segments[index];
  struct spot found = *spot;
  found.load = index;
  if (!align_up_checked (load->p_vaddr + load->p_memsz, 8, &found.address))
    return false;
  found.offset = load->p_offset + (found.address - load->p_vaddr);
  struct spot apart = found;
  if (!all_fits (draft, &found))
    {
      if (!unit_places_fall_back (&apart.slots) || !all_fits (draft, &apart))
        return false;
      found = apart;
    }
  *spot = found;
  return true;
}

/* An R segment rather than an RX one: data does not belong among code.  */
static bool
slack_find (const struct draft *draft, struct spot *spot)
{
  for (int executable = 0; executable <= 1; executable++)
    for (size_t i = slack_next (draft, 0, executable);
         i < draft->image->n_segments; i = slack_next (draft, i, executable))
      if (slack_fits (draft, spot, i))
        return true;
  return false;
}

static enum attempt
try_slack (struct draft *draft)
{
  struct spot spot = { 0 };
  /* Most files have no room even without evicted sections, so this comes
     first.  */
  if (!slack_find (draft, &spot))
    return draft_impossible (draft, "no padding is large enough");
  if (!slots_find (draft, 1, &spot.slots))
    return DOES_NOT_APPLY;
  if (!slack_find (draft, &spot))
    return draft_impossible (draft, "no padding is large enough");
  return spot_take (draft, &spot);
}

const struct strategy strategy_slack = { .name = "slack", .plan = try_slack };
