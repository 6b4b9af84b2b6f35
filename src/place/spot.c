/* A spot for .sframe becomes a plan.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/spot.h"

#include "place/headers.h"
#include "place/slots_commit.h"
#include "place/unit_places.h"

bool
spot_fill (const struct draft *draft, struct spot *spot)
{
  uint64_t size = draft->request->sframe_size;
  uint64_t end_address;
  return (!__builtin_add_overflow (spot->offset, size, &spot->end)
          && unit_places_settle (&spot->slots, &spot->end,
                                 spot->address + size)
          && !__builtin_add_overflow (spot->address, spot->end - spot->offset,
                                      &end_address))
         || draft_impossible (draft, "the address space is full");
}

/* Where the bytes of SPOT end that are loaded.  */
static uint64_t
loaded_end (const struct spot *spot)
{
  return spot->load_end > 0 ? spot->load_end : spot->end;
}

/* strip computes the size of a segment from its sections, so the bytes up to
   the page's end need one.  */
static void
add_padding_section (struct draft *draft, const struct spot *spot)
{
  if (spot->load_end > spot->end)
    headers_add_bytes (draft, ".page_padding", SHT_PROGBITS,
                       (struct interval){ spot->end, spot->load_end }, 1);
}

/* The bytes of SPOT become those of a segment.  */
static bool
take_bytes (struct draft *draft, const struct spot *spot)
{
  uint64_t end = loaded_end (spot);
  if (end > draft->end)
    draft->end = end;
  if (!spot->new_load)
    {
      GElf_Phdr *load = &draft->segments[spot->load];
      load->p_filesz = load->p_memsz = end - load->p_offset;
    }
  return plan_clear (draft->plan, spot->offset, end - spot->offset,
                     draft->err);
}

enum attempt
spot_take (struct draft *draft, struct spot *spot)
{
  struct plan *plan = draft->plan;
  bool adds = spot->end > 0;
  GElf_Phdr load = headers_segment (
      draft, PT_LOAD, (struct interval){ spot->offset, loaded_end (spot) },
      spot->address, draft->page);
  plan->sframe_offset = spot->offset;
  plan->sframe_address = spot->address;
  if ((adds && !take_bytes (draft, spot))
      || !slots_commit (draft, &spot->slots))
    return FAILED;
  headers_add_segments (draft, &spot->slots, spot->new_load ? &load : NULL);
  slots_add_sections (draft, &spot->slots);
  add_padding_section (draft, spot);
  headers_add_sframe_section (draft);
  return (adds ? headers_finish (draft) : headers_finish_in_place (draft))
             ? PLANNED
             : FAILED;
}
