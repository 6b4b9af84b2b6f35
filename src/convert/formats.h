/* Several formats from one pass over the CFI of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_FORMATS_H
#define CONVERT_FORMATS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"

/* A set of enum cfi2sframe_compared.  */
#define FORMATS_BIT(format) (1u << (format))
#define FORMATS_ALL (FORMATS_BIT (CFI2SFRAME_COMPARED_COUNT) - 1)

/* Make the formats in the set WANTED from the CFI of IMAGE; those that do not
   exist for its machine are left out.  Fill in RESULT (cleared first).  The
   compact unwind section is appended to COMPACT_UNWIND, unless that is NULL.
   Status CFI2SFRAME_NOTHING without CFI.  */
bool formats_make (const struct image *image, unsigned wanted,
                   struct cfi2sframe_comparison *result,
                   struct buffer *compact_unwind, struct error *err);

#endif /* CONVERT_FORMATS_H */
