/* Data that the program looks for in its file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_OWN_DATA_H
#define PLACE_OWN_DATA_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"

/* Whether IMAGE has none.  Otherwise false with CFI2SFRAME_REFUSED.  */
bool own_data_check (const struct image *image, struct error *err);

#endif /* PLACE_OWN_DATA_H */
