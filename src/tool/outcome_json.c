/* --stats=json of --check, --remove and --undo.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tool/outcome_json.h"

#include "tool/json_line.h"

const char *
outcome_json_done (const struct tool_options *options)
{
  switch (options->mode)
    {
    case MODE_CHECK:
      return "checked";
    case MODE_REMOVE:
      return "removed";
    case MODE_UNDO:
      return "restored";
    default:
      return NULL;
    }
}

bool
outcome_json_is_for (const struct tool_options *options)
{
  return options->stats == STATS_JSON && outcome_json_done (options) != NULL;
}

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

void
outcome_json_print (const struct tool_options *options, const struct job *job,
                    FILE *out)
{
  const char *const names[] = { [JOB_DONE] = outcome_json_done (options),
                                [JOB_SKIPPED] = "skipped",
                                [JOB_FAILED] = "failed" };
  json_object *object = json_line_new ();
  json_add_string (object, "file", job->path);
  json_add_string (object, "status", names[job->outcome]);
  json_add_string (object, "reason",
                   job->outcome == JOB_DONE ? NULL : job->err.reason);
  if (options->mode == MODE_CHECK)
    outcome_json_add_check (object, &job->check);
  json_object_object_add (object, "seconds",
                          json_object_new_double (job->seconds));
  json_print_line (object, out);
}
