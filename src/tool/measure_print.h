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

/* The sizes of one file, for the chart.  */
struct formats_row
{
  char *path;        /* owned */
  uint64_t cfi;      /* .eh_frame and .eh_frame_hdr */
  uint64_t eh_frame; /* what compact unwind must keep of it */
  uint64_t bytes[CFI2SFRAME_COMPARED_COUNT];
};

struct formats_totals
{
  uint64_t n_files;
  struct cfi2sframe_comparison sum; /* `available`: in any file */
  struct formats_row *rows;         /* owned */
  size_t n_rows, capacity;
};

/* Count JOB, which is done.  Without memory it has no row.  */
void formats_add (struct formats_totals *totals, const struct job *job);
void formats_totals_free (struct formats_totals *totals);

/* What is to be drawn of the sum.  The path is not owned.  */
struct formats_row formats_sum_row (const struct formats_totals *totals);

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
