/* Where the .sframe of a file is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELF_SFRAME_PLACE_H
#define ELF_SFRAME_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

/* A file has an .sframe if SIZE is not 0.  The section header counts first:
   GNU ld up to 2.47 writes program headers that are larger than the section.
   Where no section has bytes in the file, the program header counts.  */
struct sframe_place
{
  size_t section; /* the first one with bytes, or the first one at all; 0:
                     there is none */
  uint64_t offset, address, size;
  const uint8_t *bytes;     /* NULL: the file has none of them */
  const GElf_Phdr *segment; /* the first PT_GNU_SFRAME that is not empty, or
                               NULL.  Tools that take the section out of a
                               file leave an empty one */
  bool disagrees; /* a section and SEGMENT are there, at different places */
  size_t n_sections, n_segments; /* empty segments do not count */
};

/* Look for sections of type SHT_GNU_SFRAME or name .sframe, and for
   PT_GNU_SFRAME.  All that works on a linked file's .sframe takes it from
   here.  */
struct sframe_place sframe_place_find (const struct image *image);

/* Whether SECTION is an .sframe, by its type or its name.  */
bool section_is_sframe (const struct image_section *section);

#endif /* ELF_SFRAME_PLACE_H */
