/* The .sframe of a relocatable object as if it were linked.
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

#endif /* RELOCATABLE_OBJECT_SFRAME_H */
