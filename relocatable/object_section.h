/* The .sframe of a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later

   It is made like that of a linked file, with three differences: addresses are
   made up (relocatable/object.h), each function's start is a relocation,
   and nothing is shared or sorted, because the linker takes the section apart.
 */

#ifndef RELOCATABLE_OBJECT_SECTION_H
#define RELOCATABLE_OBJECT_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "relocatable/object.h"

/* A field of .sframe that the linker must fill in: PC-relative address of
   ADDEND bytes into SECTION.  */
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
  uint32_t relocation_type; /* of all starts */
};

/* Build the section for OBJECT and fill in REPORT.  Status CFI2SFRAME_NOTHING
   without CFI, or when no function of it can be expressed (GNU as then
   writes a section with nothing but a header, and so do we with
   options->gnu_bugs).  SECTION is freed with object_section_free also after
   failure.  */
bool object_section_build (struct object_section *section,
                           const struct object *object,
                           const struct cfi2sframe_options *options,
                           struct cfi2sframe_report *report,
                           struct error *err);

void object_section_free (struct object_section *section);

/* How many bytes of code a conversion of IMAGE with OPTIONS would cover.
   False when there would be no section.  */
bool object_coverable (const struct image *image,
                       const struct cfi2sframe_options *options,
                       uint64_t *covered, struct error *err);

#endif /* RELOCATABLE_OBJECT_SECTION_H */
