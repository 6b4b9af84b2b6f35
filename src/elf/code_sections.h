/* The executable sections of a file, in order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELF_CODE_SECTIONS_H
#define ELF_CODE_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

struct section_range
{
  uint64_t start, end;
};

struct code_sections
{
  struct section_range *ranges; /* owned; ascending start */
  size_t n;
};

bool code_sections_read (struct code_sections *sections,
                         const struct image *image, struct error *err);
void code_sections_free (struct code_sections *sections);

/* Whether [ADDRESS, ADDRESS + SIZE) lies in one of the sections.  */
bool code_sections_hold (const struct code_sections *sections,
                         uint64_t address, uint64_t size);

#endif /* ELF_CODE_SECTIONS_H */
