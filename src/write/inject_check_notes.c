/* The self-check's part about notes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It does not matter where a note is, but whether a walk over a PT_NOTE comes
   to it.  There are two walks: most readers align notes as the header says,
   and Linux, which looks for the build-id (lib/buildid.c), aligns them to 4
   bytes.  */

#include "write/inject_check.h"

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
  return segment->p_type == PT_NOTE && segment->p_flags == before->p_flags
         && segment->p_filesz == segment->p_memsz
         && segment->p_filesz <= NOTES_SPAN_MAX
         && segment->p_paddr - segment->p_vaddr
                == before->p_paddr - before->p_vaddr
         && segment->p_align >= before->p_align
         && (segment->p_align == 4 || segment->p_align == 8)
         && check_is_loaded (check, segment->p_offset, segment->p_vaddr,
                             segment->p_filesz);
}

static bool
is_found (const struct check *check, const GElf_Phdr *before,
          const struct note *wanted, bool by_4)
{
  const struct image *image = check->after;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
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

/* Whether a walk over SEGMENT comes to a note at file offset OFFSET.  */
static bool
is_visited (const struct image *image, const GElf_Phdr *segment,
            uint64_t offset, bool by_4)
{
  struct note_walk walk = note_walk_segment (image, segment, by_4);
  struct note note;
  while (note_next (&walk, &note))
    if (segment->p_offset + note.begin == offset)
      return true;
  return false;
}

/* Whether readers find all notes of SECTION that they found by SEGMENT.  SEEN:
   set if they found any.  Only notes in sections count, because a walk that
   got out of step takes other bytes for notes.  */
static bool
section_is_found (const struct check *check, const GElf_Phdr *segment,
                  const GElf_Shdr *section, bool *seen)
{
  struct note_walk walk
      = note_walk_over (check->before, section->sh_offset, section->sh_size,
                        section->sh_addralign);
  bool program = image_find_segment (check->before, PT_INTERP) != NULL;
  struct note note;
  while (note_next (&walk, &note))
    for (int by_4 = 0; by_4 <= 1; by_4++)
      {
        bool visited = is_visited (check->before, segment,
                                   section->sh_offset + note.begin, by_4);
        *seen |= visited;
        if (visited && note_is_wanted (&note, by_4, program)
            && !is_found (check, segment, &note, by_4))
          return false;
      }
  return true;
}

bool
check_notes_kept (const struct check *check, const GElf_Phdr *before)
{
  bool seen = false;
  if (before->p_filesz > NOTES_SPAN_MAX)
    return false;
  for (size_t i = 1; i < check->before->n_sections; i++)
    {
      const GElf_Shdr *section = &check->before->sections[i].header;
      if (section->sh_type != SHT_NOTE || section->sh_offset < before->p_offset
          || section->sh_offset - before->p_offset > before->p_filesz
          || section->sh_size
                 > before->p_filesz - (section->sh_offset - before->p_offset))
        continue;
      if (!section_is_found (check, before, section, &seen))
        return false;
    }
  return seen;
}
