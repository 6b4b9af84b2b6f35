/* Finding the .sframe of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELF_SFRAME_PLACE_H
#define ELF_SFRAME_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

/* Where a file has its .sframe; it has one if SIZE is not 0.  The section
   header is used before the program header, because GNU ld up to 2.47 writes
   program headers that are larger than the section.  If no section has bytes
   in the file, the program header is used.  */
struct sframe_place
{
  size_t section; /* index of the first one with bytes, or else of the first
                     one; 0: there is none */
  uint64_t offset, address, size;
  const uint8_t *bytes;     /* NULL: they are not in the file */
  const GElf_Phdr *segment; /* the first one that is not empty, or NULL */
  bool disagrees; /* there are a section and SEGMENT, at different places */
  /* Empty segments do not count: tools that remove a section leave them.  */
  size_t n_sections, n_segments;
};

/* Find sections with type SHT_GNU_SFRAME or name .sframe, and PT_GNU_SFRAME.
   All code that works on the .sframe of a linked file uses this.  */
struct sframe_place sframe_place_find (const struct image *image);

/* Return whether SECTION is an .sframe, by its type or name.  */
bool section_is_sframe (const struct image_section *section);

#endif /* ELF_SFRAME_PLACE_H */
