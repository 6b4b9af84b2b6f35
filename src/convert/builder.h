/* From an ELF image to the rows of its SFrame section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Brings the layers together: CFI and PLT stubs in, one encoder out, with the
   account of what was covered and what was left out.  */

#ifndef CONVERT_BUILDER_H
#define CONVERT_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"
#include "sframe/encode.h"
#include "sframe/model.h"

/* The variant of the public name.  */
struct sframe_variant builder_variant (enum cfi2sframe_format format);

/* Bytes of rows after which a section of IMAGE is given up.  */
uint64_t builder_rows_max (const struct image *image);

/* Make an encoder that holds the SFrame data of IMAGE and fill in REPORT.
   NULL with status CFI2SFRAME_NOTHING when there is no CFI or nothing could
   be expressed.  */
struct sframe_encoder *builder_build (const struct image *image,
                                      const struct cfi2sframe_options *options,
                                      struct cfi2sframe_report *report,
                                      struct error *err);

#endif /* CONVERT_BUILDER_H */
