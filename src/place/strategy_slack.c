/* Strategy slack: .sframe fits into the padding behind a segment.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/placing.h"

/* Where things would go behind one PT_LOAD.  */
struct slack
{
  size_t load;              /* index */
  uint64_t offset, address; /* of .sframe */
  uint64_t end;             /* in the file, of all that is put there */
};

static bool
is_candidate (const GElf_Phdr *load, bool executable)
{
  return load->p_type == PT_LOAD && (load->p_flags & PF_R)
         && !(load->p_flags & PF_W) && !!(load->p_flags & PF_X) == executable
         && load->p_filesz == load->p_memsz && load->p_filesz > 0;
}

/* The end of the room in memory: the next segment's first page, counted in
   the largest pages the machine may have.  0 for the last segment.  */
static uint64_t
memory_limit (const struct placing *placing, size_t index)
{
  for (size_t i = index + 1; i < placing->image->n_segments; i++)
    if (placing->image->segments[i].p_type == PT_LOAD)
      return placing->image->segments[i].p_vaddr & ~(placing->page - 1);
  return 0;
}

static bool
file_is_free (const struct placing *placing, uint64_t begin, uint64_t end)
{
  const struct image *image = placing->image;
  if (owner_next (image, begin, 0).begin < end
      || !range_is_zero (image, begin, end - begin))
    return false;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (load->p_type == PT_LOAD && load->p_offset < end
          && load->p_offset + load->p_filesz > begin)
        return false;
    }
  return true;
}

static bool
slack_fits (struct placing *placing, struct header_slots *slots,
            struct slack *slack)
{
  const GElf_Phdr *load = &placing->image->segments[slack->load];
  uint64_t limit = memory_limit (placing, slack->load);
  uint64_t begin = load->p_offset + load->p_filesz;
  if (!round_up (load->p_vaddr + load->p_memsz, 8, &slack->address)
      || slack->address > limit
      || placing->request->sframe_size > limit - slack->address)
    return false;
  slack->offset = load->p_offset + (slack->address - load->p_vaddr);
  slack->end = slack->offset + placing->request->sframe_size;
  return slots_place_units (slots, &slack->end,
                            slack->address + placing->request->sframe_size)
         && slack->end - slack->offset <= limit - slack->address
         && slack->end <= placing->image->size
         && file_is_free (placing, begin, slack->end);
}

/* The first PT_LOAD keeps its end: by that libdwfl (open_elf in elfutils'
   libdwfl/dwfl_module_getdwarf.c) tells how far the addresses in a separate
   debug file are from those in the file.  With another end than the debug
   file has, it gives other functions and lines without a word.  */
static size_t
first_load (const struct image *image)
{
  size_t i = 0;
  while (i < image->n_segments && image->segments[i].p_type != PT_LOAD)
    i++;
  return i;
}

/* An R segment rather than an RX one: data does not belong among code.  */
static bool
slack_find (struct placing *placing, struct header_slots *slots,
            struct slack *slack)
{
  for (int executable = 0; executable <= 1; executable++)
    for (size_t i = first_load (placing->image) + 1;
         i < placing->image->n_segments; i++)
      {
        slack->load = i;
        if (is_candidate (&placing->image->segments[i], executable)
            && slack_fits (placing, slots, slack))
          return true;
      }
  return false;
}

int
layout_try_slack (struct placing *placing)
{
  struct header_slots slots = { 0 };
  struct slack slack;
  /* Most often there is not even room without any evicted sections.  */
  if (!slack_find (placing, &slots, &slack))
    return placing_impossible (placing, "no padding is large enough");
  if (!slots_find (placing, 1, &slots))
    return 0;
  if (!slack_find (placing, &slots, &slack))
    return placing_impossible (placing, "no padding is large enough");

  struct layout_plan *plan = placing->plan;
  GElf_Phdr *load = &placing->segments[slack.load];
  plan->strategy = LAYOUT_SLACK;
  plan->sframe_offset = slack.offset;
  plan->sframe_address = slack.address;
  load->p_filesz = load->p_memsz = slack.end - load->p_offset;
  if (!plan_clear (placing->plan, slack.offset, slack.end - slack.offset,
                   placing->err)
      || !slots_commit (placing, &slots))
    return -1;
  table_add_headers (placing, &slots, NULL);
  slots_add_sections (placing, &slots);
  table_add_sframe_section (placing);
  return table_finish (placing) ? 1 : -1;
}
