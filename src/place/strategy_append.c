/* Strategies spare-slot and evict: a new read-only segment behind the file's
   end, the program headers where they are.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/placing.h"

int
layout_try_append (struct placing *placing)
{
  struct header_slots slots;
  struct layout_plan *plan = placing->plan;
  if (!slots_find (placing, 2, &slots))
    return 0;

  /* Offset and address are congruent modulo the page without padding the
     file: the head of the first page shows the bytes in front of it.  */
  const GElf_Phdr *last = placing_last_load (placing);
  uint64_t offset, address;
  if (!round_up (placing->image->size, 16, &offset)
      || !round_up (last->p_vaddr + last->p_memsz, placing->page, &address)
      || __builtin_add_overflow (address, offset & (placing->page - 1),
                                 &address))
    return placing_impossible (placing, "the address space is full");
  uint64_t end = offset + plan->sframe_size;
  if (end < offset || address + (end - offset) < address
      || !slots_place_units (&slots, &end, address + (end - offset))
      || address + (end - offset) < address)
    return placing_impossible (placing, "the address space is full");

  GElf_Phdr load = { .p_type = PT_LOAD,
                     .p_flags = PF_R,
                     .p_offset = offset,
                     .p_vaddr = address,
                     .p_paddr = address,
                     .p_filesz = end - offset,
                     .p_memsz = end - offset,
                     .p_align = placing->page };
  plan->strategy = slots.n_units > 0 ? LAYOUT_EVICT : LAYOUT_SPARE_SLOT;
  plan->sframe_offset = offset;
  plan->sframe_address = address;
  placing->end = end;
  if (!slots_commit (placing, &slots))
    return -1;
  table_add_headers (placing, &slots, &load);
  slots_add_sections (placing, &slots);
  table_add_sframe_section (placing);
  return table_finish (placing) ? 1 : -1;
}
