/* Reports on one file, for people and for scripts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdio.h>

#include "cli/job.h"

/* Print what its options ask for about JOB: results to OUT, problems to
   ERRORS.  */
void report_job (const struct job *job, FILE *out, FILE *errors);

#endif /* CLI_REPORT_H */
