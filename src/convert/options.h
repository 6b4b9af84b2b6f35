/* Options of callers compiled with another version of the header.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_OPTIONS_H
#define CONVERT_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/debug_source.h"
#include "elf/file_location.h"
#include "write/output_file.h"

/* Options of the library's caller.  All other functions here and in
   location.h are for complete ones.

   Make OWN of what the caller GIVES, which is given->size bytes: members an
   older caller does not know are as cfi2sframe_options_init sets them.  False
   with CFI2SFRAME_INVALID when a newer one asks for something this library
   does not know, or when the options were never initialised.  */
bool options_take (struct cfi2sframe_options *own,
                   const struct cfi2sframe_options *given, struct error *err);

/* The CFI that OPTIONS ask for.  Borrows their strings.  */
struct cfi_options options_cfi (const struct cfi2sframe_options *options);

/* INPUT, to be opened with the lock for work with OPTIONS.  */
struct file_location options_locked (const struct cfi2sframe_options *options,
                                     const struct file_location *input);

/* The file that OPTIONS ask for in place of INPUT, or as OUTPUT unless that is
   NULL.  Its `input_fd' is to be set when INPUT is open.  */
struct output_request options_output (const struct cfi2sframe_options *options,
                                      const struct file_location *input,
                                      const char *output,
                                      struct file_identity *made);

#endif /* CONVERT_OPTIONS_H */
