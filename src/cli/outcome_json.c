/* --stats=json: what becomes of a file, which all modes report alike.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/outcome_json.h"

#include "cli/json_line.h"

void
outcome_json_add_check (json_object *object,
                        const struct cfi2sframe_check_result *check)
{
  json_add_fields (object, check_fields, FIELD_OF_FILE, check);
  if (check->readers[0] != '\0')
    json_add_string (object, "readers", check->readers);
}

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
  if (job->options->mode == MODE_CHECK)
    outcome_json_add_check (object, &job->check);
  json_add_seconds (object, job->seconds);
  json_print_line (object, out);
}
