/* --compare-formats: what the formats take, per file and in sum.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_MEASURE_PRINT_H
#define TOOL_MEASURE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cfi2sframe.h"
#include "tool/job.h"
#include "tool/options.h"

struct totals;

struct formats_totals
{
  uint64_t n_files;
  struct cfi2sframe_comparison sum; /* `available`: in any file */
};

/* Count JOB, which is done.  */
void formats_add (struct formats_totals *totals, const struct job *job);

/* Print the table of JOB to OUT: all formats, or compact unwind alone when
   that is what was made.  */
void formats_print (const struct tool_options *options, const struct job *job,
                    FILE *out);
void formats_print_json (const struct tool_options *options,
                         const struct job *job, FILE *out);

/* Print the sum, where there is more than one file.  */
void formats_print_totals (const struct tool_options *options,
                           const struct totals *totals, FILE *out);

#endif /* TOOL_MEASURE_PRINT_H */
