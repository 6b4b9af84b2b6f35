/* An audit of the .sframe of a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef RELOCATABLE_OBJECT_AUDIT_H
#define RELOCATABLE_OBJECT_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"
#include "sframe/verify.h"

/* Compare the .sframe of IMAGE, an ET_REL file, with its CFI.  Status
   CFI2SFRAME_NOTHING without CFI.  */
bool object_verify (const struct image *image,
                    struct cfi2sframe_check_result *result, struct error *err);

/* Count the bytes of code that the CFI of IMAGE, an ET_REL file, describes; 0
   when it cannot be read.  False when memory ran out.  */
bool object_described (const struct image *image, uint64_t *bytes,
                       struct error *err);

/* How many bytes of code a conversion of IMAGE with OPTIONS would cover.
   False when there would be no section.  */
bool object_coverable (const struct image *image,
                       const struct cfi2sframe_options *options,
                       uint64_t *covered, struct error *err);

#endif /* RELOCATABLE_OBJECT_AUDIT_H */
