/* The sections of a file that are procedure linkage tables, by name.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELF_PLT_SECTIONS_H
#define ELF_PLT_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

enum
{
  PLT_SECTIONS_MAX = 5
};

struct plt_sections
{
  const struct image_section *list[PLT_SECTIONS_MAX]; /* of the image */
  size_t n;
};

/* Find the PLT sections of IMAGE.  */
void plt_sections_find (struct plt_sections *plt, const struct image *image);

/* The PLT section that holds ADDRESS, or NULL.  */
const struct image_section *plt_sections_at (const struct plt_sections *plt,
                                             uint64_t address);

#endif /* ELF_PLT_SECTIONS_H */
