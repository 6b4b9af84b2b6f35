/* The build-id of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/build_id.h"

#include <stdio.h>
#include <string.h>

#include "elf/notes.h"

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
  for (size_t i = 1; i < image->n_sections && found.size == 0; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      if (header->sh_type == SHT_NOTE)
        found = find_in_notes (note_walk_over (
            image, header->sh_offset, header->sh_size, header->sh_addralign));
    }
  for (size_t i = 0;
       image->n_sections == 0 && i < image->n_segments && found.size == 0; i++)
    found = find_in_notes (
        note_walk_segment (image, &image->segments[i], false));
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
