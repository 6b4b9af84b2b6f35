/* Strategies spare-slot and evict: a new read-only segment behind the file's
   end, the program headers where they are.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/layout_job.h"

int
layout_try_append (struct layout_job *job)
{
  struct header_slots slots;
  struct layout_plan *plan = job->plan;
  if (!slots_find (job, 2, &slots))
    return 0;

  /* Offset and address are congruent modulo the page without padding the
     file: the head of the first page shows the bytes in front of it.  */
  const GElf_Phdr *last = job_last_load (job);
  uint64_t offset, address;
  if (!round_up (job->image->size, 16, &offset)
      || !round_up (last->p_vaddr + last->p_memsz, job->page, &address)
      || __builtin_add_overflow (address, offset & (job->page - 1), &address))
    return job_not (job, "the address space is full");
  uint64_t end = offset + plan->sframe_size;
  if (end < offset || address + (end - offset) < address
      || !slots_place_units (&slots, &end, address + (end - offset))
      || address + (end - offset) < address)
    return job_not (job, "the address space is full");

  GElf_Phdr load = { .p_type = PT_LOAD,
                     .p_flags = PF_R,
                     .p_offset = offset,
                     .p_vaddr = address,
                     .p_paddr = address,
                     .p_filesz = end - offset,
                     .p_memsz = end - offset,
                     .p_align = job->page };
  plan->strategy = slots.n_units > 0 ? LAYOUT_EVICT : LAYOUT_SPARE_SLOT;
  plan->sframe_offset = offset;
  plan->sframe_address = address;
  job->end = end;
  if (!slots_commit (job, &slots))
    return -1;
  table_add_headers (job, &slots, &load);
  slots_add_sections (job, &slots);
  table_add_sframe_section (job);
  return table_finish (job) ? 1 : -1;
}
