/* Reports on one file, for people and for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/job.h"
#include "cli/json_line.h"

/* Print what its options ask for about JOB: results to OUT, problems to
   ERRORS.  */
void report_job (const struct job *job, FILE *out, FILE *errors);

/* Whether all rows come from .eh_frame, so that its size and that of
   .eh_frame_hdr can be compared with the section's.  */
bool conversion_is_of_eh_frame (const struct cfi2sframe_report *report);

/* The size of .sframe, as a part of the size of the sections that it is made
   from; 0 without such sections.  */
double conversion_size_ratio (const struct cfi2sframe_report *report);

/* Print how many functions were left out, one line per reason.  */
void conversion_print_left_out (const struct cfi2sframe_report *report,
                                FILE *out);

/* Print the numbers of CHECK, in a line or more.  */
void check_print_counts (const struct cfi2sframe_check_result *check,
                         FILE *out);

/* Add the numbers of CHECK to OBJECT.  */
void check_add_json (json_object *object,
                     const struct cfi2sframe_check_result *check);

#endif /* CLI_REPORT_H */
