/* --stats=json: what becomes of a file, which all modes report alike.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_OUTCOME_JSON_H
#define CLI_OUTCOME_JSON_H

#include <stdio.h>

#include "cli/job.h"
#include "cli/options.h"

struct json_object;

/* A new object for a line about JOB: its file, whether what its options ask
   for could be done with the file, and if not, why.  */
struct json_object *outcome_json_new (const struct job *job);

/* Print the result of JOB, of --remove or --undo, as one line of OUT.  */
void outcome_json_print (const struct job *job, FILE *out);

#endif /* CLI_OUTCOME_JSON_H */
