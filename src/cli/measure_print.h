/* Printing the figures of --compare-formats, as text and JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_MEASURE_PRINT_H
#define CLI_MEASURE_PRINT_H

#include <stdio.h>

#include "cfi2sframe.h"
#include "compact-unwind/measure.h"
#include "cli/job.h"
#include "cli/json_line.h"
#include "cli/options.h"

/* Add the figures of MEASUREMENT to SUM, which stays without machine.  */
void measure_add (struct measurement *sum,
                  const struct measurement *measurement);

/* Print the figures of JOB to OUT: of all formats, or of compact unwind if
   only that was made.  */
void measure_print (const struct job *job, FILE *out);

/* Print the table of MEASUREMENT, with NAME above it.  */
void measure_print_table (const char *name,
                          const struct measurement *measurement, FILE *out);

/* Add the figures of MEASUREMENT to OBJECT.  */
void measure_add_json (json_object *object,
                       const struct measurement *measurement);

#endif /* CLI_MEASURE_PRINT_H */
