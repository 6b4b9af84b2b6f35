/* What --check has found, as text and JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_CHECK_PRINT_H
#define CLI_CHECK_PRINT_H

#include <stdio.h>

#include "cli/job.h"
#include "cli/json_line.h"

/* Print what was found in the file of JOB in lines for people.  */
void check_print (const struct job *job, FILE *out);

/* Print the outcome of JOB, also a failure, as a line of JSON.  */
void check_print_json (const struct job *job, FILE *out);

/* Print the numbers of CHECK, in a line or more.  */
void check_print_counts (const struct cfi2sframe_check_result *check,
                         FILE *out);

/* Add the numbers of CHECK to OBJECT.  */
void check_add_json (json_object *object,
                     const struct cfi2sframe_check_result *check);

#endif /* CLI_CHECK_PRINT_H */
