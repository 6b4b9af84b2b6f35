/* The build-id of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/build_id.h"

#include <string.h>

/* Look for the build-id among the notes of DATA.  */
static struct build_id
find_in_notes (Elf_Data *data)
{
  GElf_Nhdr note;
  size_t at = 0, next, name, contents;
  while (data != NULL
         && (next = gelf_getnote (data, at, &note, &name, &contents)) > 0)
    {
      const uint8_t *bytes = data->d_buf;
      if (note.n_type == NT_GNU_BUILD_ID
          && note.n_namesz == sizeof ELF_NOTE_GNU
          && memcmp (bytes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0
          && note.n_descsz > 0 && note.n_descsz <= BUILD_ID_SIZE_MAX)
        return (struct build_id){ bytes + contents, note.n_descsz };
      at = next;
    }
  return (struct build_id){ NULL, 0 };
}

struct build_id
build_id_find (const struct image *image)
{
  struct build_id found = { NULL, 0 };
  for (size_t i = 1; i < image->n_sections && found.size == 0; i++)
    if (image->sections[i].header.sh_type == SHT_NOTE)
      found = find_in_notes (elf_getdata (elf_getscn (image->elf, i), NULL));
  for (size_t i = 0;
       image->n_sections == 0 && i < image->n_segments && found.size == 0; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
      Elf_Type type = segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
      if (segment->p_type == PT_NOTE)
        found = find_in_notes (elf_getdata_rawchunk (
            image->elf, (int64_t)segment->p_offset, segment->p_filesz, type));
    }
  return found;
}
