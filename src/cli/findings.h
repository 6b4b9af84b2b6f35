/* Running --lint and --compare, and printing each finding at once.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "cfi2sframe.h"
#include "cli/json_line.h"
#include "cli/options.h"
#include "convert/location.h"

/* The result of --lint or --compare for a file.  */
struct findings
{
  struct cfi2sframe_lint_result lint;        /* zero with --compare */
  struct cfi2sframe_compare_result compared; /* zero with --lint */
  json_object *details; /* with --stats=json: an array; else NULL */
};

/* Find rows of INPUT that its code contradicts, or compare INPUT with the
   second file of OPTIONS.  Each finding is printed to OUT at once, or with
   --stats=json collected in FINDINGS.  False with status CFI2SFRAME_MISMATCH
   if there are findings.  */
bool lint_file (const struct tool_options *options,
                const struct file_location *input, FILE *out,
                struct findings *findings, struct cfi2sframe_error *err);
bool compare_files (const struct tool_options *options,
                    const struct file_location *input, FILE *out,
                    struct findings *findings, struct cfi2sframe_error *err);

/* Print FINDINGS and ERR of the file PATH as a line of JSON, and free
   findings->details.  */
void lint_print_json (const char *path, const struct findings *findings,
                      const struct cfi2sframe_error *err, FILE *out);
void compare_print_json (const struct tool_options *options, const char *path,
                         const struct findings *findings,
                         const struct cfi2sframe_error *err, FILE *out);

/* Print as text how much was compared, and how much is equal.  */
void lint_print_counts (const struct tool_options *options, const char *path,
                        const struct cfi2sframe_lint_result *result,
                        FILE *out);
void compare_print (const struct tool_options *options, const char *path,
                    const struct findings *findings, FILE *out);

#endif /* CLI_FINDINGS_H */
