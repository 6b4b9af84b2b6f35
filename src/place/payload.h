/* Data that the program looks for in its file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_PAYLOAD_H
#define PLACE_PAYLOAD_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"

/* Whether IMAGE has none.  Otherwise false with CFI2SFRAME_REFUSED.  */
bool payload_check (const struct image *image, struct error *err);

#endif /* PLACE_PAYLOAD_H */
