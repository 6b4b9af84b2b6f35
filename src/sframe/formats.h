/* The versions of SFrame that are written, as users and as the encoder name
   them.
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

/* "3", "2", "2.0" or "1".  */
const char *format_name (enum cfi2sframe_format format);

/* The format called NAME; false if there is none.  */
bool format_parse (const char *name, enum cfi2sframe_format *format);

/* What the encoder writes for FORMAT.  */
struct sframe_variant format_variant (enum cfi2sframe_format format);

#endif /* SFRAME_FORMATS_H */
