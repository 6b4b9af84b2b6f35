/* Writing a relocatable object with a new .sframe, and its self-check.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RELOCATABLE_OBJECT_WRITE_H
#define RELOCATABLE_OBJECT_WRITE_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "relocatable/object_section.h"

/* Write IMAGE with SECTION as .sframe and .rela.sframe to the empty file
   OUT_FD, and check it (object_check).  Where the two sections exist already,
   they are replaced; otherwise they are the last ones, so that no section
   index changes.  Missing section symbols are added to the symbol table, and
   every index into that table is adjusted.  */
bool object_write (const struct image *image,
                   const struct object_section *section, int out_fd,
                   struct error *err);

/* ---- object_check.c */

/* Whether NEW, which object_write has made of OLD and the section MADE, is the
   same to a linker as OLD, but for .sframe, its relocations and section
   symbols.  Public for a test alone.  */
bool object_check (const struct image *old, const struct image *new,
                   const struct object_section *made, struct error *err);

/* Do what object_check does, with the new object in the open file FD.  */
bool object_check_file (const struct image *old, int fd,
                        const struct object_section *made, struct error *err);

#endif /* RELOCATABLE_OBJECT_WRITE_H */
