/* What a conversion has made, as text and JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_CONVERSION_PRINT_H
#define CLI_CONVERSION_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/job.h"

/* Print to OUT as many figures of JOB as its options ask for, in lines for
   people.  */
void conversion_print (const struct job *job, FILE *out);

/* Print the outcome of JOB, also a failure, as a line of JSON.  */
void conversion_print_json (const struct job *job, FILE *out);

/* Print how many functions were left out, one line per reason.  */
void conversion_print_left_out (const struct cfi2sframe_report *report,
                                FILE *out);

/* Whether all rows come from .eh_frame, so that its size and that of
   .eh_frame_hdr can be compared with the section's.  */
bool conversion_is_of_eh_frame (const struct cfi2sframe_report *report);

/* The size of .sframe, as a part of the size of the sections that it is made
   from; 0 without such sections.  */
double conversion_size_ratio (const struct cfi2sframe_report *report);

#endif /* CLI_CONVERSION_PRINT_H */
