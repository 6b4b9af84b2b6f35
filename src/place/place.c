/* A place for .sframe becomes a plan.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/place.h"

#include "place/headers.h"
#include "place/slots_commit.h"

bool
place_fill (const struct draft *draft, struct place *place)
{
  uint64_t size = draft->request->sframe_size;
  uint64_t end_address;
  return !__builtin_add_overflow (place->offset, size, &place->end)
         && slots_settle_units (&place->slots, &place->end,
                                place->address + size)
         && !__builtin_add_overflow (place->address,
                                     place->end - place->offset, &end_address);
}

static GElf_Phdr
new_load (const struct draft *draft, const struct place *place)
{
  uint64_t end = place->load_end > 0 ? place->load_end : place->end;
  return (GElf_Phdr){ .p_type = PT_LOAD,
                      .p_flags = PF_R,
                      .p_offset = place->offset,
                      .p_vaddr = place->address,
                      .p_paddr = place->address,
                      .p_filesz = end - place->offset,
                      .p_memsz = end - place->offset,
                      .p_align = draft->page };
}

/* strip computes the size of a segment from its sections, so the bytes up to
   the page's end need one.  */
static void
add_padding_section (struct draft *draft, const struct place *place)
{
  if (place->load_end > place->end)
    headers_add_bytes (draft, ".page_padding", SHT_PROGBITS,
                       (struct interval){ place->end, place->load_end },
                       place->address + (place->end - place->offset), 1);
}

/* The bytes of PLACE become those of a segment.  */
static bool
take_bytes (struct draft *draft, const struct place *place)
{
  uint64_t end = place->load_end > 0 ? place->load_end : place->end;
  if (end > draft->end)
    draft->end = end;
  if (!place->new_load)
    {
      GElf_Phdr *load = &draft->segments[place->load];
      load->p_filesz = load->p_memsz = end - load->p_offset;
    }
  return plan_clear (draft->plan, place->offset, end - place->offset,
                     draft->err);
}

enum attempt
place_take (struct draft *draft, struct place *place)
{
  struct plan *plan = draft->plan;
  bool adds = place->end > 0;
  GElf_Phdr load = new_load (draft, place);
  plan->sframe_offset = place->offset;
  plan->sframe_address = place->address;
  if ((adds && !take_bytes (draft, place))
      || !slots_commit (draft, &place->slots))
    return FAILED;
  headers_add_segments (draft, &place->slots, place->new_load ? &load : NULL);
  slots_add_sections (draft, &place->slots);
  add_padding_section (draft, place);
  headers_add_sframe_section (draft);
  return (adds ? headers_finish (draft) : headers_finish_in_place (draft))
             ? PLANNED
             : FAILED;
}
