/* Walking over notes as their readers do.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/notes.h"

#include <stdio.h>
#include <string.h>

#include "base/align.h"
#include "base/bytes.h"

enum
{
  HEADER_SIZE = 12,
  FILLER_TYPE = 0x646170
};

struct note_walk
note_walk_over (const struct image *image, uint64_t offset, uint64_t size,
                uint64_t header_align)
{
  /* An empty section or segment may have any offset.  */
  return (struct note_walk){ size > 0 ? image->bytes + offset : NULL, size,
                             note_align (header_align), image->big_endian, 0 };
}

struct note_walk
note_walk_segment (const struct image *image, const GElf_Phdr *segment,
                   bool by_4)
{
  uint64_t size = segment->p_type == PT_NOTE ? segment->p_filesz : 0;
  return note_walk_over (image, segment->p_offset, size,
                         by_4 ? 4 : segment->p_align);
}

bool
note_next (struct note_walk *walk, struct note *note)
{
  if (walk->at >= walk->size || walk->size - walk->at < HEADER_SIZE)
    return false;
  const uint8_t *header = walk->bytes + walk->at;
  *note = (struct note){ .begin = walk->at,
                         .name_size = load_u32 (header, walk->big_endian),
                         .size = load_u32 (header + 4, walk->big_endian),
                         .type = load_u32 (header + 8, walk->big_endian) };
  uint64_t contents
      = align_up (note->begin + HEADER_SIZE + note->name_size, walk->align);
  if (contents > walk->size || note->size > walk->size - contents)
    return false;
  note->name = header + HEADER_SIZE;
  note->contents = walk->bytes + contents;
  note->end = contents + note->size;
  walk->at = align_up (note->end, walk->align);
  return true;
}

bool
note_is (const struct note *note, const char *owner, uint32_t type)
{
  return note->type == type && note->name_size == 4
         && memcmp (note->name, owner, 4) == 0;
}

bool
note_is_wanted (const struct note *note, bool by_4, bool program)
{
  return by_4 ? note_is (note, "GNU", NT_GNU_BUILD_ID)
              : !(program && note_is (note, "GNU", NT_GNU_ABI_TAG));
}

void
note_filler_write (uint8_t *at, bool big_endian)
{
  memset (at, 0, NOTE_FILLER_SIZE);
  store_u32 (at, 4, big_endian);
  store_u32 (at + 4, NOTE_FILLER_SIZE - 16, big_endian);
  store_u32 (at + 8, FILLER_TYPE, big_endian);
}

bool
note_is_filler (const uint8_t *at, bool big_endian)
{
  uint8_t filler[NOTE_FILLER_SIZE];
  note_filler_write (filler, big_endian);
  return memcmp (at, filler, sizeof filler) == 0;
}

/* ---- Build-ids */

static struct build_id
find_in_notes (struct note_walk walk)
{
  struct note note;
  while (note_next (&walk, &note))
    if (note_is (&note, ELF_NOTE_GNU, NT_GNU_BUILD_ID) && note.size > 0
        && note.size <= BUILD_ID_SIZE_MAX)
      return (struct build_id){ note.contents, note.size };
  return (struct build_id){ NULL, 0 };
}

struct build_id
build_id_find (const struct image *image)
{
  struct build_id found = { NULL, 0 };
  FOR_EACH_SECTION (section, image)
    {
      if (section->header.sh_type != SHT_NOTE)
        continue;
      found = find_in_notes (note_walk_over (image, section->header.sh_offset,
                                             section->header.sh_size,
                                             section->header.sh_addralign));
      if (found.size > 0)
        return found;
    }
  if (image->n_sections > 0)
    return found;
  FOR_EACH_SEGMENT (segment, image)
    {
      found = find_in_notes (note_walk_segment (image, segment, false));
      if (found.size > 0)
        return found;
    }
  return found;
}

bool
build_id_equal (const struct build_id *a, const struct build_id *b)
{
  return a->size == b->size
         && (a->size == 0 || memcmp (a->bytes, b->bytes, a->size) == 0);
}

void
build_id_digits (const struct build_id *id, char digits[BUILD_ID_DIGITS_SIZE])
{
  digits[0] = '\0';
  for (size_t i = 0; i < id->size; i++)
    sprintf (digits + 2 * i, "%02x", id->bytes[i]);
}
