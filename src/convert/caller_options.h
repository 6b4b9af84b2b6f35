/* Options of callers compiled with another version of the header.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_CALLER_OPTIONS_H
#define CONVERT_CALLER_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"

enum
{
  /* Bytes of a caller's structure: more than there will ever be, so that a
     size beyond is not a size.  */
  CALLER_SIZE_MOST = 4096
};

/* Make OWN of what the caller GIVES, which is given->size bytes: members an
   older caller does not know are as cfi2sframe_options_init sets them.  All
   functions but those of the public interface are for options that are
   complete so.  False with CFI2SFRAME_INVALID when a newer caller asks for
   something this library does not know, or when the options were never
   initialised.  */
bool options_take (struct cfi2sframe_options *own,
                   const struct cfi2sframe_options *given, struct error *err);

#endif /* CONVERT_CALLER_OPTIONS_H */
