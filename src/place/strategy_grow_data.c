/* Strategy grow-data: .sframe behind the BSS in the last segment.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Needs one program header only.  The BSS gets bytes in the file, and what is
   not loaded shifts behind them.  The section is then mapped writable, though
   nothing writes there; hence this comes after everything that maps it
   read-only.  */

#include "place/placing.h"

int
layout_try_grow_data (struct placing *placing)
{
  struct header_slots slots;
  struct growth growth = { 0 };
  struct layout_plan *plan = placing->plan;
  if (!slots_find (placing, 1, &slots) || !growth_measure (placing, &growth))
    return 0;
  const GElf_Phdr *last = &placing->image->segments[growth.load];
  /* At the start of a page, so that it is none of those that get dirty.  */
  uint64_t address = last->p_vaddr + (growth.new_end - last->p_offset);
  uint64_t end = growth.new_end + plan->sframe_size;
  if (address + plan->sframe_size < address
      || !slots_place_units (&slots, &end, address + plan->sframe_size))
    return placing_impossible (placing, "the address space is full");
  plan->strategy = LAYOUT_GROW_DATA;
  plan->sframe_offset = growth.new_end;
  plan->sframe_address = address;
  growth.new_end = end;
  growth.shift = (end - growth.old_end + 63) & ~(uint64_t)63;
  if (!growth_commit (placing, &growth))
    return -1;
  GElf_Phdr *load = &placing->segments[growth.load];
  load->p_filesz = load->p_memsz = end - load->p_offset;
  if (!slots_commit (placing, &slots))
    return -1;
  table_add_headers (placing, &slots, NULL);
  slots_add_sections (placing, &slots);
  table_add_sframe_section (placing);
  return table_finish (placing) ? 1 : -1;
}
