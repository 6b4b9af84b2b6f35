/* Telling people and scripts what was done.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_REPORT_H
#define TOOL_REPORT_H

#include <stdio.h>

#include "tool/job.h"
#include "tool/options.h"

/* Print what OPTIONS ask for about JOB: results to OUT, problems to ERRORS. */
void report_job (const struct tool_options *options, const struct job *job,
                 FILE *out, FILE *errors);

#endif /* TOOL_REPORT_H */
