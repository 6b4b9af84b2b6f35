/* Writing a relocatable object with .sframe added, and its self-check.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RELOCATABLE_OBJECT_WRITE_H
#define RELOCATABLE_OBJECT_WRITE_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "relocatable/object_section.h"

/* Write IMAGE with SECTION as .sframe and .rela.sframe to the empty file
   OUT_FD, and compare what is read back (object_check).  Sections that are
   there already are replaced, otherwise both come last, so that no section
   index changes.  Missing section symbols are added to the symbol table, and
   every index into it is adjusted.  */
bool object_write (const struct image *image,
                   const struct object_section *section, int out_fd,
                   struct error *err);

/* ---- object_check.c */

/* Compare NEW with OLD, from which object_write has made it with the
   section MADE: nothing that links NEW may see a difference but the .sframe,
   its relocations and symbols for sections.  Declared for a test.  */
bool object_check (const struct image *old, const struct image *new,
                   const struct object_section *made, struct error *err);

/* The same of the open file FD.  */
bool object_check_file (const struct image *old, int fd,
                        const struct object_section *made, struct error *err);

#endif /* RELOCATABLE_OBJECT_WRITE_H */
