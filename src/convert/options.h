/* What options ask for, in the words of the layers that do it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_OPTIONS_H
#define CONVERT_OPTIONS_H

#include "cfi/debug_source.h"
#include "elf/file_location.h"
#include "write/output_file.h"

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
