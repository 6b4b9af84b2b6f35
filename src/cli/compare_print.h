/* --compare A B.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_COMPARE_PRINT_H
#define CLI_COMPARE_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "cfi2sframe.h"
#include "convert/location.h"
#include "cli/json_line.h"
#include "cli/options.h"

struct compare_outcome
{
  struct cfi2sframe_compare_result result;
  json_object *differences; /* with --stats=json: an array; else NULL */
};

/* Compare INPUT with the other file of OPTIONS.  Differences are printed to
   OUT at once, but for those of --stats=json.  False with status
   CFI2SFRAME_MISMATCH if there are any.  */
bool compare_files (const struct tool_options *options,
                    const struct file_location *input, FILE *out,
                    struct compare_outcome *outcome,
                    struct cfi2sframe_error *err);

/* Print OUTCOME, of the file PATH, for people.  */
void compare_print (const struct tool_options *options, const char *path,
                    const struct compare_outcome *outcome, FILE *out);

/* Print OUTCOME and ERR; the differences of OUTCOME are freed.  */
void compare_print_json (const struct tool_options *options, const char *path,
                         const struct compare_outcome *outcome,
                         const struct cfi2sframe_error *err, FILE *out);

#endif /* CLI_COMPARE_PRINT_H */
