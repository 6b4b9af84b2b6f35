/* Writing a relocatable object with .sframe added.
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

#endif /* RELOCATABLE_OBJECT_WRITE_H */
