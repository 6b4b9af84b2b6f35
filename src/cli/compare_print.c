/* --compare A B: differences as lines or as one JSON object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/compare_print.h"

#include <inttypes.h>

#include "base/plural.h"
#include "base/printable.h"
#include "cli/json_line.h"

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

bool
compare_files (const struct tool_options *options,
               const struct file_location *input, FILE *out,
               struct compare_outcome *outcome, struct cfi2sframe_error *err)
{
  const struct file_location other = file_location_of_path (options->compared);
  bool json = options->stats == STATS_JSON;
  if (json)
    outcome->differences = json_new_array ();
  struct compare_output output = { .out = options->quiet || json ? NULL : out,
                                   .details = outcome->differences,
                                   .all = options->verbose > 0 };
  bool equal = location_compare (input, &other, show_difference, &output,
                                 &outcome->result, err);
  if (output.out && !output.all && output.n > LINES_MAX)
    fprintf (out, "... and %" PRIu64 " more; -v prints all\n",
             output.n - LINES_MAX);
  return equal;
}

void
compare_print (const struct tool_options *options, const char *path,
               const struct compare_outcome *outcome, FILE *out)
{
  const struct cfi2sframe_compare_result *result = &outcome->result;
  uint64_t defects = 0;
  for (size_t i = 0; i < CFI2SFRAME_DEFECTS_MAX; i++)
    defects += result->defects[i];
  fputs ("A ", out);
  printable_put (path, out);
  fprintf (out, ": %" PRIu64 " function%s; B ", result->functions_a,
           plural_s (result->functions_a));
  printable_put (options->compared, out);
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

void
compare_print_json (const struct tool_options *options, const char *path,
                    const struct compare_outcome *outcome,
                    const struct cfi2sframe_error *err, FILE *out)
{
  const struct cfi2sframe_compare_result *result = &outcome->result;
  json_object *object = json_line_new ();
  bool compared
      = err->status == CFI2SFRAME_OK || err->status == CFI2SFRAME_MISMATCH;
  json_add_string (object, "a", path);
  json_add_string (object, "b", options->compared);
  json_add_outcome (object,
                    !compared                      ? "failed"
                    : err->status == CFI2SFRAME_OK ? "equal"
                                                   : "different",
                    compared ? NULL : err);
  json_add_fields (object, compare_fields, FIELD_OF_FILE, result);
  json_add_counts (object, "defects", result->defects, CFI2SFRAME_DEFECTS_MAX,
                   cfi2sframe_defect_name);
  json_add (object, "differences",
            outcome->differences != NULL ? outcome->differences
                                         : json_new_array ());
  json_print_line (object, out);
}
