/* The self-check's part about notes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It does not matter where a note is, but whether a walk over a PT_NOTE comes
   to it.  There are two walks: most readers align notes as the header says,
   and Linux, which looks for the build-id (lib/buildid.c), aligns them to 4
   bytes.  */

#include "write/inject_check_parts.h"

#include <string.h>

#include "elf/notes.h"

static bool
is_same_note (const struct note *a, const struct note *b)
{
  return a->type == b->type && a->name_size == b->name_size
         && a->size == b->size && memcmp (a->name, b->name, a->name_size) == 0
         && memcmp (a->contents, b->contents, a->size) == 0;
}

/* Whether SEGMENT may have the notes that BEFORE had.  */
static bool
is_good_segment (const struct check *check, const GElf_Phdr *segment,
                 const GElf_Phdr *before)
{
  GElf_Phdr expected = *before;
  expected.p_filesz = expected.p_memsz = segment->p_filesz;
  expected.p_align = segment->p_align;
  return check_same_header (expected, segment)
         && segment->p_filesz <= NOTES_SPAN_MAX
         && segment->p_align >= before->p_align
         && (segment->p_align == 4 || segment->p_align == 8)
         && check_is_loaded (check->after, segment->p_offset, segment->p_vaddr,
                             segment->p_filesz);
}

static bool
is_found (const struct check *check, const GElf_Phdr *before,
          const struct note *wanted, bool by_4)
{
  const struct image *image = check->after;
  FOR_EACH_SEGMENT (segment, image)
    {
      if (!is_good_segment (check, segment, before))
        continue;
      struct note_walk walk = note_walk_segment (image, segment, by_4);
      struct note note;
      while (note_next (&walk, &note))
        if (is_same_note (&note, wanted))
          return true;
    }
  return false;
}

/* Whether the sections with bytes of the PT_NOTE SEGMENT take no more than
   notes that a conversion puts in another order: for each note of SEGMENT the
   sections are walked over again.  */
static bool
sections_are_short (const struct image *image, const GElf_Phdr *segment)
{
  uint64_t rest = NOTES_SPAN_MAX;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *section = &image->sections[i].header;
      bool meets
          = section->sh_offset - segment->p_offset < segment->p_filesz
            || segment->p_offset - section->sh_offset < section->sh_size;
      if (section->sh_type != SHT_NOTE || !meets)
        continue;
      if (section->sh_size > rest)
        return false;
      rest -= section->sh_size;
    }
  return true;
}

/* Whether a section has a note at file offset OFFSET.  A walk over a segment
   that got out of step takes other bytes for notes.  */
static bool
is_note_of_section (const struct image *image, uint64_t offset)
{
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *section = &image->sections[i].header;
      struct note note;
      if (section->sh_type != SHT_NOTE
          || offset - section->sh_offset >= section->sh_size)
        continue;
      struct note_walk walk = note_walk_over (
          image, section->sh_offset, section->sh_size, section->sh_addralign);
      while (note_next (&walk, &note))
        if (section->sh_offset + note.begin == offset)
          return true;
    }
  return false;
}

bool
check_notes_kept (const struct check *check, const GElf_Phdr *before)
{
  const struct image *image = check->before;
  bool program = image_find_segment (image, PT_INTERP) != NULL;
  bool seen = false;
  if (before->p_filesz > NOTES_SPAN_MAX || !sections_are_short (image, before))
    return false;
  for (int by_4 = 0; by_4 <= 1; by_4++)
    {
      struct note_walk walk = note_walk_segment (image, before, by_4);
      struct note note;
      while (note_next (&walk, &note))
        if (is_note_of_section (image, before->p_offset + note.begin))
          {
            seen = true;
            if (note_is_wanted (&note, by_4, program)
                && !is_found (check, before, &note, by_4))
              return false;
          }
    }
  return seen;
}
