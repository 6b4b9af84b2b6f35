/* --stats=json of --check, --remove and --undo.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_OUTCOME_JSON_H
#define TOOL_OUTCOME_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "tool/job.h"
#include "tool/options.h"

struct json_object;

/* Whether OPTIONS ask for one of these.  */
bool outcome_json_is_for (const struct tool_options *options);

/* The word for a file that such a mode has worked on; NULL for other
   modes.  */
const char *outcome_json_done (const struct tool_options *options);

/* Add the numbers of CHECK to OBJECT.  */
void outcome_json_add_check (struct json_object *object,
                             const struct cfi2sframe_check_result *check);

/* Print the result of JOB as one line of OUT.  */
void outcome_json_print (const struct tool_options *options,
                         const struct job *job, FILE *out);

#endif /* TOOL_OUTCOME_JSON_H */
