/* The file as it was before this program changed it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_ORIGINAL_H
#define CONVERT_ORIGINAL_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"

/* Make the original of IMAGE, which has an undo record, in memory, and open
   it; it must not outlive IMAGE.  Status CFI2SFRAME_REFUSED when the file was
   changed since.  On failure ORIGINAL needs no closing.  */
bool original_restore (struct image *original, const struct image *image,
                       struct error *err);

#endif /* CONVERT_ORIGINAL_H */
