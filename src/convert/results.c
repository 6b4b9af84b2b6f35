/* Results for callers compiled with another version of the header.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/results.h"

#include <string.h>

enum
{
  /* The size, and the first member that says something.  */
  SIZE_LEAST = 2 * sizeof (size_t),
  /* More than there will ever be: beyond, the size is not a size.  */
  SIZE_MOST = 4096
};

bool
results_size (const void *given, size_t *size, struct error *err)
{
  error_clear (err);
  memcpy (size, given, sizeof *size);
  return (*size >= SIZE_LEAST && *size <= SIZE_MOST)
         || error_set (err, CFI2SFRAME_INVALID,
                       "the structure for the result was not initialised");
}

void
results_give (void *given, size_t size, const void *own, size_t own_size)
{
  size_t known = size < own_size ? size : own_size;
  memcpy ((char *)given + sizeof size, (const char *)own + sizeof size,
          known - sizeof size);
  memset ((char *)given + known, 0, size - known);
}
