/* --stats=json: what becomes of a file, which all modes report alike.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/outcome_json.h"

#include "cli/json_line.h"

json_object *
outcome_json_new (const struct job *job)
{
  const char *const names[]
      = { [JOB_DONE] = mode_names[job->options->mode].status,
          [JOB_SKIPPED] = "skipped",
          [JOB_FAILED] = "failed" };
  json_object *object = json_line_new ();
  json_add_string (object, "file", job->path);
  json_add_outcome (object, names[job->outcome],
                    job->outcome == JOB_DONE ? NULL : &job->err);
  return object;
}

void
outcome_json_print (const struct job *job, FILE *out)
{
  json_object *object = outcome_json_new (job);
  json_add_seconds (object, job->seconds);
  json_print_line (object, out);
}
