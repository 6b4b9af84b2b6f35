/* What --check has found, as text and JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/check_print.h"

#include <inttypes.h>
#include <string.h>

#include "base/plural.h"
#include "cli/messages.h"
#include "cli/json_line.h"

/* Print what readers of SFrame make of the section: LINES, each with an
   indent.  */
static void
print_readers (const char *lines, FILE *out)
{
  while (lines[0] != '\0')
    {
      size_t length = strcspn (lines, "\n");
      fprintf (out, "  %.*s\n", (int)length, lines);
      lines += length + (lines[length] == '\n');
    }
}

void
check_print_counts (const struct cfi2sframe_check_result *check, FILE *out)
{
  fprintf (out,
           "%" PRIu64 " function%s checked: %" PRIu64
           " bytes of code equal, %" PRIu64 " wrong, %" PRIu64
           " without SFrame data, %" PRIu64 " without CFI\n",
           check->functions, plural_s (check->functions), check->bytes_equal,
           check->bytes_wrong, check->bytes_absent, check->bytes_extra);
  if (check->bytes_return_address > 0)
    fprintf (out, "  left out: %" PRIu64 " byte%s (return-address)\n",
             check->bytes_return_address,
             plural_s (check->bytes_return_address));
  if (check->bytes_from_code > 0)
    fprintf (out,
             "  %" PRIu64 " of these bytes have no CFI and were compared with "
             "their code\n",
             check->bytes_from_code);
}

void
check_print (const struct job *job, FILE *out)
{
  message_name (job->path, out);
  check_print_counts (&job->check, out);
  print_readers (job->check.readers, out);
}

void
check_add_json (json_object *object,
                const struct cfi2sframe_check_result *check)
{
  json_add_fields (object, check_fields, FIELD_OF_FILE, check);
  if (check->readers[0] != '\0')
    json_add_string (object, "readers", check->readers);
}

void
check_print_json (const struct job *job, FILE *out)
{
  json_object *object = job_json (job);
  check_add_json (object, &job->check);
  json_add_seconds (object, job->seconds);
  json_print_line (object, out);
}
