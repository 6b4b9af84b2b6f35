/* The .sframe of an ELF image, by section or by program header.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SFRAME_FIND_SFRAME_H
#define SFRAME_FIND_SFRAME_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "sframe/decode.h"

/* Open a decoder on the .sframe of IMAGE.  Status CFI2SFRAME_NOTHING when it
   has none.  */
bool find_sframe (const struct image *image, struct sframe_decoder *decoder,
                  struct error *err);

#endif /* SFRAME_FIND_SFRAME_H */
