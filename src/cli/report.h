/* Reports on one file, as text and as JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/job.h"
#include "cli/json_line.h"

/* Print the results of JOB to OUT and its problems to ERRORS.  */
void report_job (const struct job *job, FILE *out, FILE *errors);

/* Whether all rows come from .eh_frame, so that the size of .sframe can be
   compared with that of .eh_frame and .eh_frame_hdr.  */
bool conversion_is_of_eh_frame (const struct cfi2sframe_report *report);

/* Return the size of .sframe divided by that of the sections that it is made
   from; 0 without such sections.  */
double conversion_size_ratio (const struct cfi2sframe_report *report);

/* Print the number of functions left out, one line for each reason.  */
void conversion_print_left_out (const struct cfi2sframe_report *report,
                                FILE *out);

/* Print the counters of CHECK, in one line or more.  */
void check_print_counts (const struct cfi2sframe_check_result *check,
                         FILE *out);

/* Add the counters of CHECK to OBJECT.  */
void check_add_json (json_object *object,
                     const struct cfi2sframe_check_result *check);

#endif /* CLI_REPORT_H */
