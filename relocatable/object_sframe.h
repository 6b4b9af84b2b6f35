/* The .sframe that a relocatable object has: as if it were linked, and whether
   it is right.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Starts are relocations in an object.  A copy of the section gets them filled
   in with the addresses of relocatable/object.h, so that it can be read,
   checked and compared like any other.  */

#ifndef RELOCATABLE_OBJECT_SFRAME_H
#define RELOCATABLE_OBJECT_SFRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "relocatable/object.h"
#include "sframe/decode.h"
#include "sframe/verify.h"

struct object_sframe
{
  struct object object;
  uint8_t *bytes;                /* owned; the section, resolved */
  struct sframe_decoder decoder; /* on it */
};

/* Open the .sframe of IMAGE, an ET_REL file that must outlive it.  Status
   CFI2SFRAME_NOTHING when it has none.  On failure it needs no closing.  */
bool object_sframe_open (struct object_sframe *sframe,
                         const struct image *image, struct error *err);

/* Also for a structure that is all zero.  */
void object_sframe_close (struct object_sframe *sframe);

/* Compare the .sframe of IMAGE, an ET_REL file, with its CFI.  Status
   CFI2SFRAME_NOTHING without CFI.  */
bool object_verify (const struct image *image,
                    struct cfi2sframe_check_result *result, struct error *err);

#endif /* RELOCATABLE_OBJECT_SFRAME_H */
