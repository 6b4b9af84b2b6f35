/* Strategy slack: .sframe fits into the padding behind a segment.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For files in which the linker began a segment at a new page: 1,733 of 4,291
   files (doc/formats/injection, "How often").  */

#include "place/placing.h"

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

/* Set PLACE to what is behind its segment, if all fits there.  */
static bool
slack_fits (struct placing *placing, struct place *place)
{
  const GElf_Phdr *load = &placing->image->segments[place->load];
  uint64_t limit = memory_limit (placing, place->load);
  uint64_t begin = load->p_offset + load->p_filesz;
  if (!round_up (load->p_vaddr + load->p_memsz, 8, &place->address)
      || place->address > limit
      || placing->request->sframe_size > limit - place->address)
    return false;
  place->offset = load->p_offset + (place->address - load->p_vaddr);
  return place_fill (placing, place)
         && place->end - place->offset <= limit - place->address
         && place->end <= placing->image->size
         && file_is_free (placing, begin, place->end);
}

/* The first PT_LOAD keeps its end: by that libdwfl (open_elf in elfutils'
   libdwfl/dwfl_module_getdwarf.c) tells how far the addresses in a separate
   debug file are from those in the file.  With another end than the debug
   file has, it gives other functions and lines without a word.

   An R segment rather than an RX one: data does not belong among code.  */
static bool
slack_find (struct placing *placing, struct place *place)
{
  const struct image *image = placing->image;
  size_t first = (size_t)(placing_first_load (placing) - image->segments);
  for (int executable = 0; executable <= 1; executable++)
    for (place->load = first + 1; place->load < image->n_segments;
         place->load++)
      if (is_candidate (&image->segments[place->load], executable)
          && slack_fits (placing, place))
        return true;
  return false;
}

int
strategy_try_slack (struct placing *placing)
{
  struct place place = { .strategy = LAYOUT_SLACK };
  /* Most files have no room even without evicted sections, so this comes
     first.  */
  if (!slack_find (placing, &place))
    return placing_impossible (placing, "no padding is large enough");
  if (!slots_find (placing, 1, &place.slots))
    return 0;
  if (!slack_find (placing, &place))
    return placing_impossible (placing, "no padding is large enough");
  return place_take (placing, &place);
}
