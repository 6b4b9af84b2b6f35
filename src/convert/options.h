/* Options of callers compiled with another version of the header.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_OPTIONS_H
#define CONVERT_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/debug_source.h"
#include "elf/file_location.h"

/* Make OWN of what the caller GIVES, which is given->size bytes: members an
   older caller does not know are as cfi2sframe_options_init sets them.  False
   with CFI2SFRAME_INVALID when a newer one asks for something this library
   does not know, or when the options were never initialised.  */
bool options_take (struct cfi2sframe_options *own,
                   const struct cfi2sframe_options *given, struct error *err);

/* The CFI that OPTIONS ask for.  Borrows their strings.  */
struct cfi_options options_cfi (const struct cfi2sframe_options *options);

/* The lock for working on a file with OPTIONS.  */
enum file_lock options_lock (const struct cfi2sframe_options *options);

#endif /* CONVERT_OPTIONS_H */
