/* Strategy move-table: the program header table behind the file's end, in the
   segment of .sframe.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Only on request (--force-phdr-move), and for none of 4,291 files
   (doc/formats/injection, "How often"): it is the last way to convert a file
   that all other strategies leave, at the price that strip may destroy it.  */

#include "place/placing.h"

/* Find the place of the table: kernels before 5.18, static glibc, ld.so and
   LLVM's profile runtime all compute its address as that of the first segment
   plus e_phoff.  */
static int
move_place (struct placing *placing, GElf_Phdr *load, uint64_t table_size)
{
  const GElf_Phdr *first = placing_first_load (placing),
                  *last = placing_last_load (placing);
  uint64_t base = first->p_vaddr - first->p_offset;
  uint64_t address, old_end, size;
  if (first->p_vaddr < first->p_offset
      || !round_up (last->p_vaddr + last->p_memsz, placing->page, &address)
      || address < base
      || !round_up (placing->image->size, placing->page, &old_end))
    return placing_impossible (placing,
                               "no place for a moved program header table");
  if (address - base < old_end)
    address = base + old_end;
  if (address - base - old_end > GROWTH_MAX)
    return placing_impossible (placing, "the file would become too large");
  if (__builtin_add_overflow (table_size, placing->plan->sframe_size, &size)
      || address + size < address || (address & (placing->page - 1)) != 0)
    return placing_impossible (placing,
                               "no place for a moved program header table");
  *load = (GElf_Phdr){ .p_type = PT_LOAD,
                       .p_flags = PF_R,
                       .p_offset = address - base,
                       .p_vaddr = address,
                       .p_paddr = address,
                       .p_filesz = size,
                       .p_memsz = size,
                       .p_align = placing->page };
  return 1;
}

int
strategy_try_move_table (struct placing *placing)
{
  struct header_slots slots = { .n_added = 2 };
  struct layout_plan *plan = placing->plan;
  uint64_t table_size = (placing->n_segments + 2) * sizeof (Elf64_Phdr);
  GElf_Phdr load = { 0 };
  if (!move_place (placing, &load, table_size))
    return 0;
  slots_take_old (placing->image, &slots, 1);
  plan->strategy = LAYOUT_MOVE_TABLE;
  plan->sframe_offset = load.p_offset + table_size;
  plan->sframe_address = load.p_vaddr + table_size;
  placing->header.e_phoff = load.p_offset;
  placing->end = load.p_offset + load.p_filesz;
  table_add_headers (placing, &slots, &load);
  for (size_t i = 0; i < placing->n_segments; i++)
    if (placing->segments[i].p_type == PT_PHDR)
      {
        placing->segments[i].p_offset = load.p_offset;
        placing->segments[i].p_vaddr = placing->segments[i].p_paddr
            = load.p_vaddr;
      }
  table_add_sframe_section (placing);
  return table_finish (placing) ? 1 : -1;
}
