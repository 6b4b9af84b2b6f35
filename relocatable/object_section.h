/* Building the .sframe of a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It is built like that of a linked file, with three differences: addresses
   are made up (relocatable/object.h), the start of each function is a
   relocation, and functions are not sorted and share no rows, because the
   linker takes the section apart.  */

#ifndef RELOCATABLE_OBJECT_SECTION_H
#define RELOCATABLE_OBJECT_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "relocatable/object.h"

/* A relocation of .sframe: the field at OFFSET is to have the PC-relative
   address of SECTION + ADDEND, the start of a function.  */
struct start_relocation
{
  uint64_t offset; /* in .sframe */
  size_t section;
  uint64_t addend;
};

struct object_section
{
  struct buffer bytes;             /* owned */
  struct start_relocation *starts; /* owned; one per function, in order */
  size_t n_functions;
  uint32_t section_type;    /* SHT_GNU_SFRAME or SHT_PROGBITS */
  uint32_t relocation_type; /* the same for all starts */
};

/* Build the section for OBJECT and fill in REPORT.  False with status
   CFI2SFRAME_NOTHING without CFI, or when no function can be expressed in
   SFrame.  In the latter case GNU as writes a section that has only a header,
   and so does this function with options->gnu_bugs.  The caller frees SECTION
   with object_section_free, also after failure.  */
bool object_section_build (struct object_section *section,
                           const struct object *object,
                           const struct cfi2sframe_options *options,
                           struct cfi2sframe_report *report,
                           struct error *err);

void object_section_free (struct object_section *section);

/* Set *COVERED to the number of bytes of code that a conversion of IMAGE with
   OPTIONS would describe.  False when there would be no section.  */
bool object_coverable (const struct image *image,
                       const struct cfi2sframe_options *options,
                       uint64_t *covered, struct error *err);

#endif /* RELOCATABLE_OBJECT_SECTION_H */
