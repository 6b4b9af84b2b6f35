/* The formats that cfi2sframe writes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/formats.h"

#include <string.h>

static const struct
{
  const char *name;
  struct sframe_variant variant;
} formats[N_FORMATS] = {
  [CFI2SFRAME_V1] = { "1", { 1, false } },
  [CFI2SFRAME_V2_0] = { "2.0", { 2, false } },
  [CFI2SFRAME_V2] = { "2", { 2, true } },
  [CFI2SFRAME_V3] = { "3", { 3, true } },
};

const enum cfi2sframe_format formats_by_age[N_FORMATS]
    = { CFI2SFRAME_V3, CFI2SFRAME_V2, CFI2SFRAME_V2_0, CFI2SFRAME_V1 };

const char *
format_name (enum cfi2sframe_format format)
{
  return formats[format].name;
}

bool
format_parse (const char *name, enum cfi2sframe_format *format)
{
  for (unsigned i = 0; i < N_FORMATS; i++)
    if (strcmp (formats[i].name, name) == 0)
      {
        *format = (enum cfi2sframe_format)i;
        return true;
      }
  return false;
}

struct sframe_variant
format_variant (enum cfi2sframe_format format)
{
  return formats[format].variant;
}
