/* The formats that cfi2sframe writes: their names for users, and the variant
   of SFrame that each stands for.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SFRAME_FORMATS_H
#define SFRAME_FORMATS_H

#include <stdbool.h>

#include "cfi2sframe.h"
#include "sframe/model.h"

enum
{
  N_FORMATS = CFI2SFRAME_V1 + 1
};

/* The formats, the newest first.  */
extern const enum cfi2sframe_format formats_by_age[N_FORMATS];

/* The name of FORMAT for users: "3", "2", "2.0" or "1".  */
const char *format_name (enum cfi2sframe_format format);

/* Set *FORMAT to the format that has NAME.  False if there is none.  */
bool format_parse (const char *name, enum cfi2sframe_format *format);

/* The variant that the encoder writes for FORMAT.  */
struct sframe_variant format_variant (enum cfi2sframe_format format);

#endif /* SFRAME_FORMATS_H */
