/* --stats=json of --check, --remove and --undo.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_OUTCOME_JSON_H
#define TOOL_OUTCOME_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "tool/job.h"
#include "tool/options.h"

struct json_object;

/* Whether it is one of these that OPTIONS ask for.  */
bool outcome_json_is_for (const struct tool_options *options);

/* What a file is when such a mode is done with it; NULL: of other modes.  */
const char *outcome_json_done (const struct tool_options *options);

/* Add the numbers of CHECK to OBJECT.  */
void outcome_json_add_check (struct json_object *object,
                             const struct cfi2sframe_check_result *check);

/* What became of JOB: one line of OUT.  */
void outcome_json_print (const struct tool_options *options,
                         const struct job *job, FILE *out);

#endif /* TOOL_OUTCOME_JSON_H */
