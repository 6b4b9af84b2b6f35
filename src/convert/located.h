/* The public functions for files found in a tree (elf/file_location.h).
   SPDX-License-Identifier: LGPL-2.1-or-later

   Whoever finds files by reading their directory sees all names in it, and
   spares convert_located from doing so again for each of the files.  */

#ifndef CONVERT_LOCATED_H
#define CONVERT_LOCATED_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "elf/file_location.h"

/* As cfi2sframe_convert.  *MADE is set to what the input's name stands for
   after a success without OUTPUT.  */
bool convert_located (const struct file_location *input, const char *output,
                      const struct cfi2sframe_options *options,
                      struct file_identity *made,
                      struct cfi2sframe_report *report, struct error *err);

/* Whether the file NAME may be a checksum of another one in its directory: one
   for file_location.checksums.  */
bool located_may_be_checksum (const char *name);

/* As cfi2sframe_undo and cfi2sframe_remove, with MADE as above.  */
bool undo_located (const struct file_location *input, const char *output,
                   const struct cfi2sframe_options *options,
                   struct file_identity *made, struct error *err);
bool remove_located (const struct file_location *input, const char *output,
                     const struct cfi2sframe_options *options,
                     struct file_identity *made, struct error *err);

/* As cfi2sframe_match_debug_file.  */
bool match_debug_located (const struct file_location *program,
                          const char *debug,
                          const struct cfi2sframe_options *options,
                          struct error *err);

/* As cfi2sframe_check_with and cfi2sframe_dump.  */
bool check_located (const struct file_location *input,
                    const struct cfi2sframe_options *options,
                    struct cfi2sframe_check_result *result, struct error *err);
bool dump_located (const struct file_location *input, FILE *out,
                   struct error *err);

#endif /* CONVERT_LOCATED_H */
