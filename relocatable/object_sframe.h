/* Reading and checking the .sframe that a relocatable object has.
   SPDX-License-Identifier: LGPL-2.1-or-later

   In an object the starts of functions are relocations.  object_sframe_open
   makes a copy with the made-up addresses of relocatable/object.h, so that the
   decoder can read it like any other section.  */

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
  uint8_t *bytes;                /* owned; the copy of the section */
  struct sframe_decoder decoder; /* of BYTES */
};

/* Open the .sframe of IMAGE, an ET_REL file that must outlive SFRAME.  Status
   CFI2SFRAME_NOTHING without one.  After failure SFRAME needs no closing.  */
bool object_sframe_open (struct object_sframe *sframe,
                         const struct image *image, struct error *err);

/* Free SFRAME, which may be all zero.  */
void object_sframe_close (struct object_sframe *sframe);

/* Compare the .sframe of IMAGE, an ET_REL file, with its CFI.  False with
   status CFI2SFRAME_NOTHING without CFI.  */
bool object_verify (const struct image *image,
                    struct cfi2sframe_check_result *result, struct error *err);

#endif /* RELOCATABLE_OBJECT_SFRAME_H */
