/* Reports on one file, for people and for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/job.h"
#include "cli/options.h"

/* Print what its options ask for about JOB: results to OUT, problems to
 * ERRORS. */
void report_job (const struct job *job, FILE *out, FILE *errors);

/* Print how many functions were left out, one line per reason.  */
void report_print_left_out (const struct cfi2sframe_report *report, FILE *out);

/* Print what a check has found, in a line or more.  */
void report_print_check (const struct cfi2sframe_check_result *check,
                         FILE *out);

/* Whether all rows come from .eh_frame, so that its size and that of
   .eh_frame_hdr can be compared with the section's.  */
bool report_is_of_eh_frame (const struct cfi2sframe_report *report);

/* The size of the section relative to that of the sections it is made from; 0
   without these.  */
double report_size_ratio (const struct cfi2sframe_report *report);

#endif /* CLI_REPORT_H */
