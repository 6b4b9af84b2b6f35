/* --lint: findings as lines or as one JSON object per file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_LINT_PRINT_H
#define CLI_LINT_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "cfi2sframe.h"
#include "convert/location.h"
#include "cli/json_line.h"
#include "cli/options.h"

struct lint_outcome
{
  struct cfi2sframe_lint_result result;
  json_object *findings; /* with --stats=json: an array; else NULL */
};

/* Look for rows of INPUT that its code contradicts.  Findings are printed to
   OUT at once, but for those of --stats=json.  False with status
   CFI2SFRAME_MISMATCH if there are any.  */
bool lint_file (const struct tool_options *options,
                const struct file_location *input, FILE *out,
                struct lint_outcome *outcome, struct cfi2sframe_error *err);

/* Print OUTCOME and ERR; the findings of OUTCOME are freed.  */
void lint_print_json (const char *path, const struct lint_outcome *outcome,
                      const struct cfi2sframe_error *err, FILE *out);

/* Print for people how much was looked at.  */
void lint_print_counts (const struct tool_options *options, const char *path,
                        const struct cfi2sframe_lint_result *result,
                        FILE *out);

#endif /* CLI_LINT_PRINT_H */
