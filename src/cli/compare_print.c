/* --compare A B: differences as lines or as one JSON object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/compare_print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mapped_file.h"
#include "base/plural.h"
#include "base/printable.h"
#include "cli/json_line.h"
#include "cli/messages.h"

enum
{
  LINES_MAX = 40 /* without -v */
};

struct compare_output
{
  FILE *out;            /* NULL: no lines */
  json_object *details; /* array, or NULL */
  bool all;             /* no limit of lines */
  uint64_t n;           /* differences so far */
};

static const char *const kind_names[] = {
  [CFI2SFRAME_ONLY_A] = "only-a",
  [CFI2SFRAME_ONLY_B] = "only-b",
  [CFI2SFRAME_DIFFERENT] = "different",
  [CFI2SFRAME_FILE] = "file",
};

static void
print_line (FILE *out, const struct cfi2sframe_difference *difference)
{
  if (difference->kind != CFI2SFRAME_FILE)
    {
      printable_put (difference->section ? difference->section : "", out);
      fprintf (out, "%s0x%" PRIx64 " (%" PRIu32 " byte%s)",
               difference->section ? "+" : "", difference->function,
               difference->size, plural_s (difference->size));
    }
  if (difference->kind == CFI2SFRAME_DIFFERENT)
    fprintf (out, " +0x%" PRIx64, difference->pc - difference->function);
  fprintf (out, "%s%s", difference->kind == CFI2SFRAME_FILE ? "" : ": ",
           difference->text);
  if (difference->defect)
    fprintf (out, "; known defect of %c (%s: %s)", difference->defective,
             cfi2sframe_defect_name (difference->defect),
             cfi2sframe_defect_text (difference->defect));
  fputc ('\n', out);
}

static json_object *
difference_json (const struct cfi2sframe_difference *difference)
{
  json_object *object = json_new_object ();
  const char side[] = { difference->defective, '\0' };
  json_add_string (object, "kind", kind_names[difference->kind]);
  json_add_string (object, "section", difference->section);
  json_add_number (object, "function", difference->function);
  json_add_number (object, "size", difference->size);
  json_add_number (object, "pc", difference->pc);
  json_add_string (object, "text", difference->text);
  json_add_string (object, "defect",
                   cfi2sframe_defect_name (difference->defect));
  json_add_string (object, "defective", difference->defect ? side : NULL);
  return object;
}

static void
show_difference (void *context, const struct cfi2sframe_difference *difference)
{
  struct compare_output *output = context;
  if (output->out && (output->all || output->n < LINES_MAX))
    print_line (output->out, difference);
  output->n++;
  if (output->details)
    json_append (output->details, difference_json (difference));
}

static uint64_t
count_defects (const struct cfi2sframe_compare_result *result)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < CFI2SFRAME_DEFECTS_MAX; i++)
    sum += result->defects[i];
  return sum;
}

static void
print_counts (const struct tool_options *options,
              const struct cfi2sframe_compare_result *result, FILE *out)
{
  uint64_t defects = count_defects (result);
  fputs ("A ", out);
  printable_put (options->files[0], out);
  fprintf (out, ": %" PRIu64 " function%s; B ", result->functions_a,
           plural_s (result->functions_a));
  printable_put (options->files[1], out);
  fprintf (out,
           ": %" PRIu64 " function%s\n"
           "%" PRIu64 " equal, %" PRIu64 " different, %" PRIu64
           " only in A, %" PRIu64 " only in B, %" PRIu64 " known defect%s\n"
           "bytes of code: %" PRIu64 " equal, %" PRIu64 " different, %" PRIu64
           " only in A, %" PRIu64 " only in B\n",
           result->functions_b, plural_s (result->functions_b), result->equal,
           result->different, result->only_a, result->only_b, defects,
           plural_s (defects), result->bytes_equal, result->bytes_different,
           result->bytes_only_a, result->bytes_only_b);
}

/* Frees DETAILS.  */
static void
print_json (const struct tool_options *options,
            const struct cfi2sframe_compare_result *result,
            const struct cfi2sframe_error *err, json_object *details,
            FILE *out)
{
  json_object *object = json_line_new ();
  bool compared
      = err->status == CFI2SFRAME_OK || err->status == CFI2SFRAME_MISMATCH;
  json_add_string (object, "a", options->files[0]);
  json_add_string (object, "b", options->files[1]);
  json_add_outcome (object,
                    !compared                      ? "failed"
                    : err->status == CFI2SFRAME_OK ? "equal"
                                                   : "different",
                    compared ? NULL : err);
  json_add_fields (object, compare_fields, FIELD_OF_FILE, result);
  json_add_counts (object, "defects", result->defects, CFI2SFRAME_DEFECTS_MAX,
                   cfi2sframe_defect_name);
  json_add (object, "differences", details);
  json_print_line (object, out);
}

int
compare_run (const struct tool_options *options, FILE *out, FILE *errors)
{
  struct cfi2sframe_compare_result result;
  struct cfi2sframe_error err;
  bool json = options->stats == STATS_JSON;
  struct compare_output output = { .out = options->quiet || json ? NULL : out,
                                   .details = json ? json_new_array () : NULL,
                                   .all = options->verbose > 0 };
  cfi2sframe_compare_result_init (&result);
  bool equal = cfi2sframe_compare (options->files[0], options->files[1],
                                   show_difference, &output, &result, &err);
  equal = mapped_files_check (&err) && equal;
  bool compared = equal || err.status == CFI2SFRAME_MISMATCH;
  if (!compared)
    {
      message_begin (err.file[0] != '\0' ? err.file : NULL, errors);
      fprintf (errors, "%s\n", err.reason);
    }
  if (output.out && !output.all && output.n > LINES_MAX)
    fprintf (out, "... and %" PRIu64 " more; -v prints all\n",
             output.n - LINES_MAX);
  if (json)
    print_json (options, &result, &err, output.details, out);
  else if (compared && !options->quiet)
    print_counts (options, &result, out);
  return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}
