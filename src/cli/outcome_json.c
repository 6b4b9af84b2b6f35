/* --stats=json: what becomes of a file, which all modes report alike.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/outcome_json.h"

#include "cli/json_line.h"

void
outcome_json_add_check (json_object *object,
                        const struct cfi2sframe_check_result *check)
{
  json_add_number (object, "functions", check->functions);
  json_add_number (object, "bytes_equal", check->bytes_equal);
  json_add_number (object, "bytes_wrong", check->bytes_wrong);
  json_add_number (object, "bytes_absent", check->bytes_absent);
  json_add_number (object, "bytes_extra", check->bytes_extra);
  json_add_number (object, "bytes_from_code", check->bytes_from_code);
  json_add_number (object, "bytes_return_address",
                   check->bytes_return_address);
  if (check->readers[0] != '\0')
    json_add_string (object, "readers", check->readers);
}

json_object *
outcome_json_new (const struct tool_options *options, const struct job *job)
{
  const char *const names[] = { [JOB_DONE] = mode_names[options->mode].status,
                                [JOB_SKIPPED] = "skipped",
                                [JOB_FAILED] = "failed" };
  json_object *object = json_line_new ();
  json_add_string (object, "file", job->path);
  json_add_string (object, "status", names[job->outcome]);
  json_add_string (object, "reason",
                   job->outcome == JOB_DONE ? NULL : job->err.reason);
  return object;
}

void
outcome_json_print (const struct tool_options *options, const struct job *job,
                    FILE *out)
{
  json_object *object = outcome_json_new (options, job);
  if (options->mode == MODE_CHECK)
    outcome_json_add_check (object, &job->check);
  json_add_seconds (object, job->seconds);
  json_print_line (object, out);
}
