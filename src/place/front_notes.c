/* Notes that strategy grow-down copies in front of the old file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/front_notes.h"

#include <string.h>

#include "base/align.h"
#include "place/headers.h"

static bool
is_taken (const struct front_notes *notes, uint64_t offset)
{
  for (size_t i = 0; i < notes->n; i++)
    if (offset - notes->units[i].offset < notes->units[i].size)
      return true;
  return false;
}

/* Take the unit at OFFSET, if it is notes for cores and among the first that
   are looked at: each is compared with all sections.  ALONE: its PT_NOTE is
   not taken along.  */
static void
take (const struct draft *draft, struct front_notes *notes, uint64_t offset,
      bool alone)
{
  struct unit unit = { .leaves_pt_note = alone };
  const GElf_Phdr *load = draft_first_load (draft);
  if (!is_taken (notes, offset) && offset < load->p_filesz
      && notes->n_looked_at++ < NOTE_SECTIONS_MAX
      && unit_find_notes (draft, offset, load, &unit)
      && unit.offset + unit.size <= FIRST_PAGE)
    notes->units[notes->n++] = unit;
}

static bool
is_in_note_segment (const struct image *image, const GElf_Shdr *header)
{
  FOR_EACH_SEGMENT (note, image)
    if (note->p_type == PT_NOTE
        && header->sh_offset - note->p_offset < note->p_filesz)
      return true;
  return false;
}

/* Take each PT_NOTE that has nothing else; then, out of others, sections.  */
void
front_notes_find (const struct draft *draft, struct front_notes *notes)
{
  const struct image *image = draft->image;
  FOR_EACH_SEGMENT (segment, image)
    if (segment->p_type == PT_NOTE)
      take (draft, notes, segment->p_offset, false);
  notes->n_bound = notes->n;
  FOR_EACH_SECTION (section, image)
    {
      const GElf_Shdr *header = &section->header;
      if (header->sh_type == SHT_NOTE && header->sh_flags == SHF_ALLOC
          && header->sh_size > 0 && is_in_note_segment (image, header))
        take (draft, notes, header->sh_offset, true);
    }
}

size_t
front_notes_headers (const struct front_notes *notes)
{
  return notes->n > notes->n_bound ? 1 : 0;
}

bool
front_notes_place (struct front_notes *notes, uint64_t *at)
{
  for (size_t i = 0; i < notes->n; i++)
    {
      struct unit *unit = &notes->units[i];
      align_to_residue (at, unit->offset, unit->align);
      if (i == notes->n_bound)
        notes->alone.begin = *at;
      unit->new_offset = *at;
      *at += unit->size;
    }
  notes->alone.end = *at;
  return notes->n == 0 || *at <= FIRST_PAGE;
}

bool
front_notes_commit (struct draft *draft, const struct front_notes *notes,
                    uint64_t distance)
{
  uint64_t begin = draft_first_load (draft)->p_vaddr - distance;
  for (size_t i = 0; i < notes->n; i++)
    {
      struct unit unit = notes->units[i];
      uint8_t *copy = plan_add_patch (draft->plan, unit.new_offset,
                                      (size_t)unit.size, draft->err);
      if (copy == NULL)
        return false;
      memcpy (copy, draft->image->bytes + unit.offset, (size_t)unit.size);
      unit.new_address = begin + unit.new_offset;
      unit.new_offset -= distance;
      unit_commit (draft, &unit);
    }
  if (front_notes_headers (notes) > 0)
    draft->segments[draft->n_segments++] = headers_segment (
        draft, PT_NOTE, notes->alone, begin + notes->alone.begin, 4);
  return true;
}

/* Notes that are taken out of a PT_NOTE that stays are notes there as well:
   strip (GNU binutils 2.47) lets such a segment begin at its first section of
   notes, but leaves its address.  */
void
front_notes_add_sections (struct draft *draft, const struct front_notes *notes,
                          uint64_t distance, uint64_t *end)
{
  for (size_t i = 0; i < notes->n; i++)
    {
      const struct unit *unit = &notes->units[i];
      uint64_t offset = distance + unit->offset;
      const struct interval bytes = { offset, offset + unit->size };
      if (i >= notes->n_bound)
        headers_add_bytes (draft, ".old_notes", SHT_NOTE, bytes, unit->align);
      else if (unit->offset >= *end && unit->offset - *end < 8)
        *end = unit->offset + unit->size;
      else
        headers_add_bytes (draft, ".old_notes", SHT_PROGBITS, bytes,
                           offset % 8 == 0 ? 8 : 1);
    }
}
