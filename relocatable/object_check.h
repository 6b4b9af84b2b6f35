/* Whether a new object is the old one with an .sframe.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RELOCATABLE_OBJECT_CHECK_H
#define RELOCATABLE_OBJECT_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "relocatable/object_section.h"

/* Compare NEW with OLD, from which object_write has made it with the
   section MADE: nothing that links NEW may see a difference but the .sframe,
   its relocations and symbols for sections.  */
bool object_check (const struct image *old, const struct image *new,
                   const struct object_section *made, struct error *err);

/* The same of the open file FD.  */
bool object_check_file (const struct image *old, int fd,
                        const struct object_section *made, struct error *err);

#endif /* RELOCATABLE_OBJECT_CHECK_H */
