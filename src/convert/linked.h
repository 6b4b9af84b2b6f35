/* From a linked ELF image to the rows of its SFrame section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_LINKED_H
#define CONVERT_LINKED_H

#include "base/error.h"
#include "elf/image.h"
#include "sframe/encode.h"

/* Make an encoder that holds the SFrame data of IMAGE and fill in REPORT.
   NULL with status CFI2SFRAME_NOTHING when there is no CFI or nothing could
   be expressed.  */
struct sframe_encoder *linked_build (const struct image *image,
                                     const struct cfi2sframe_options *options,
                                     struct cfi2sframe_report *report,
                                     struct error *err);

#endif /* CONVERT_LINKED_H */
