/* Padding behind segments, which linkers leave so that the next segment begins
   at a page.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/slack.h"

#include "place/owners.h"

static bool
may_grow (const GElf_Phdr *load, bool executable)
{
  return load->p_type == PT_LOAD && (load->p_flags & PF_R)
         && !(load->p_flags & PF_W) && !!(load->p_flags & PF_X) == executable
         && load->p_filesz == load->p_memsz && load->p_filesz > 0;
}

/* The first PT_LOAD keeps its end: by that libdwfl (open_elf in elfutils'
   libdwfl/dwfl_module_getdwarf.c) tells how far the addresses in a separate
   debug file are from those in the file.  With another end than the debug
   file has, it gives other functions and lines without a word.  */
bool
slack_next (const struct draft *draft, size_t *at, size_t *index)
{
  const GElf_Phdr *segments = draft->image->segments;
  const GElf_Phdr *first = draft_first_load (draft);
  size_t n = draft->image->n_segments;
  while (*at < 2 * n)
    {
      bool executable = *at >= n;
      *index = (*at)++ % n;
      if (&segments[*index] > first
          && may_grow (&segments[*index], executable))
        return true;
    }
  return false;
}

/* The end of the room in memory: the next segment's first page, counted in
   the largest pages the machine may have.  0: there is none, because
   this is the last segment, or because it ends in a page of the segment in
   front: a loader may map either there.  */
static uint64_t
memory_limit (const struct draft *draft, size_t index)
{
  const GElf_Phdr *load = &draft->image->segments[index];
  uint64_t last_page = (load->p_vaddr + load->p_memsz) & ~(draft->page - 1);
  FOR_EACH_LOAD (other, draft->image)
    if (other < load && other->p_vaddr + other->p_memsz > last_page)
      return 0;
    else if (other > load)
      return other->p_vaddr & ~(draft->page - 1);
  return 0;
}

/* What takes longest comes last.  */
static bool
file_is_free (const struct draft *draft, uint64_t begin, uint64_t end)
{
  const struct image *image = draft->image;
  FOR_EACH_LOAD (load, image)
    if (load->p_offset < end && load->p_offset + load->p_filesz > begin)
      return false;
  return range_is_zero (image, begin, end - begin)
         && owner_next (image, begin, 0).begin >= end;
}

bool
slack_reaches (const struct draft *draft, size_t index, uint64_t end)
{
  const GElf_Phdr *load = &draft->image->segments[index];
  uint64_t limit = memory_limit (draft, index);
  uint64_t begin = load->p_offset + load->p_filesz;
  return end >= begin && limit >= load->p_vaddr + load->p_memsz
         && end - begin <= limit - (load->p_vaddr + load->p_memsz)
         && end <= draft->image->size && file_is_free (draft, begin, end);
}
