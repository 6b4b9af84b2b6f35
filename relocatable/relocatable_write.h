/* Writing a relocatable object with .sframe added.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RELOCATABLE_RELOCATABLE_WRITE_H
#define RELOCATABLE_RELOCATABLE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

/* A field of .sframe that the linker must fill in: PC-relative address of
   ADDEND bytes into SECTION.  */
struct relocatable_fix
{
  uint64_t offset; /* in .sframe */
  size_t section;
  uint64_t addend;
};

struct relocatable_output
{
  const void *bytes; /* of .sframe */
  size_t size;
  uint32_t section_type;    /* SHT_GNU_SFRAME or SHT_PROGBITS */
  uint32_t relocation_type; /* of all fixes */
  const struct relocatable_fix *fixes;
  size_t n_fixes;
};

/* Write IMAGE with OUTPUT as .sframe and .rela.sframe to the empty file
   OUT_FD.  Sections that are there already are replaced, otherwise both come
   last, so that no section index changes.  Missing section symbols are added
   to the symbol table, and every index into it is adjusted.  */
bool relocatable_write (const struct image *image,
                        const struct relocatable_output *output, int out_fd,
                        struct error *err);

#endif /* RELOCATABLE_RELOCATABLE_WRITE_H */
