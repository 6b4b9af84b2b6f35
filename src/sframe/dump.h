/* Printing an SFrame section the way `readelf --sframe` does.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SFRAME_DUMP_H
#define SFRAME_DUMP_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "sframe/decode.h"

/* Write the whole section to OUT, V1 as readelf of binutils 2.40 does, V2 and
   V3 as that of 2.47.  False when the section is damaged or OUT fails.
   Everything in front of the damage is written.  */
bool sframe_dump (const struct sframe_decoder *decoder, FILE *out,
                  struct error *err);

#endif /* SFRAME_DUMP_H */
