/* Running --lint and --compare.  Findings are printed at once, as text or
   events, or collected for a line of JSON for each file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/findings.h"

#include <inttypes.h>

#include "base/amounts.h"
#include "base/printable.h"
#include "cli/events.h"
#include "cli/messages.h"

enum
{
  BYTES_TEXT_MAX = 48, /* no instruction has more than 15 bytes */
  LINES_MAX = 40       /* of differences, without -v */
};

/* The context in which findings are printed.  */
struct finding_output
{
  const struct tool_options *options;
  const char *path;
  FILE *out;
  json_object *details; /* with --stats=json: an array */
  uint64_t n_differences;
};

/* ---- --lint */

/* Return the one of CFA, RA and FP whose rule FINDING contradicts.  */
static const char *
rule_of (const struct cfi2sframe_finding *finding, const char *cfa,
         const char *ra, const char *fp)
{
  return finding->frame_pointer ? fp : finding->return_address ? ra : cfa;
}

/* Write the SIZE BYTES of an instruction to TEXT and return it.  */
static const char *
bytes_text (const uint8_t *bytes, size_t size, char text[BYTES_TEXT_MAX])
{
  size_t n = 0;
  text[0] = '\0';
  for (size_t i = 0; i < size && n + 3 < BYTES_TEXT_MAX; i++)
    n += (size_t)snprintf (text + n, BYTES_TEXT_MAX - n, "%s%02x",
                           i > 0 ? " " : "", bytes[i]);
  return text;
}

/* Print ": ", an instruction's bytes, and its text if there is one.  */
static void
print_instruction (const uint8_t *bytes, size_t size, const char *text,
                   FILE *out)
{
  char hex[BYTES_TEXT_MAX];
  fprintf (out, ": %s%s%s", bytes_text (bytes, size, hex), text ? "  " : "",
           text ? text : "");
}

static const char *
text_or_unknown (const char *words)
{
  return words ? words : "?";
}

/* Print the instructions around FINDING.  `!' marks those with a wrong row. */
static void
print_steps (const struct cfi2sframe_finding *finding, FILE *out)
{
  uint64_t next = finding->n_steps > 0 ? finding->steps[0].address : 0;
  for (size_t i = 0; i < finding->n_steps; i++)
    {
      const struct cfi2sframe_step *step = &finding->steps[i];
      if (step->address != next)
        fputs ("    ...\n", out);
      next = step->address + step->instruction_size;
      fprintf (
          out, "  %c 0x%" PRIx64 "  CFA %-8s  RA %-9s  FP %-9s  CFI %s",
          step->wrong ? '!' : ' ', step->address, text_or_unknown (step->cfa),
          text_or_unknown (step->return_address),
          text_or_unknown (step->frame_pointer), text_or_unknown (step->says));
      print_instruction (step->instruction, step->instruction_size,
                         step->instruction_text, out);
      fputs ("\n", out);
    }
}

static void
print_finding (const char *path, const struct cfi2sframe_finding *finding,
               FILE *out)
{
  message_name (path, out);
  if (finding->name)
    {
      printable_put (finding->name, out);
      fprintf (out, " (0x%" PRIx64 ")", finding->function);
    }
  else
    fprintf (out, "0x%" PRIx64, finding->function);
  fprintf (out,
           ": 0x%" PRIx64 "-0x%" PRIx64 " (%" PRIu64
           " byte%s): %s: CFI says %s, code does %s; since the instruction at "
           "0x%" PRIx64,
           finding->address, finding->address + finding->size, finding->bytes,
           plural_s (finding->bytes), rule_of (finding, "CFA", "RA", "FP"),
           finding->says, finding->does, finding->since);
  if (finding->instruction_size > 0)
    print_instruction (finding->instruction, finding->instruction_size,
                       finding->instruction_text, out);
  fprintf (out, "\n");
  print_steps (finding, out);
}

/* Return STEP as a member of the array `steps'.  */
static json_object *
step_json (const struct cfi2sframe_step *step)
{
  json_object *object = json_new_object ();
  char bytes[BYTES_TEXT_MAX];
  json_add_number (object, "address", step->address);
  json_add_string (
      object, "instruction",
      bytes_text (step->instruction, step->instruction_size, bytes));
  json_add_string (object, "instruction_text", step->instruction_text);
  json_add_string (object, "cfa", step->cfa);
  json_add_string (object, "ra", step->return_address);
  json_add_string (object, "fp", step->frame_pointer);
  json_add_string (object, "cfi", step->says);
  json_add_boolean (object, "wrong", step->wrong);
  return object;
}

static json_object *
finding_json (const struct cfi2sframe_finding *finding)
{
  json_object *object = json_new_object ();
  char bytes[BYTES_TEXT_MAX];
  json_add_number (object, "function", finding->function);
  json_add_string (object, "name", finding->name);
  json_add_number (object, "address", finding->address);
  json_add_number (object, "size", finding->size);
  json_add_number (object, "bytes", finding->bytes);
  json_add_number (object, "since", finding->since);
  json_add_string (object, "rule", rule_of (finding, "cfa", "ra", "fp"));
  json_add_string (object, "cfi", finding->says);
  json_add_string (object, "code", finding->does);
  json_add_string (object, "instruction",
                   finding->instruction_size > 0 ? bytes_text (
                       finding->instruction, finding->instruction_size, bytes)
                                                 : NULL);
  json_add_string (object, "instruction_text", finding->instruction_text);
  json_object *steps = json_new_array ();
  for (size_t i = 0; i < finding->n_steps; i++)
    json_append (steps, step_json (&finding->steps[i]));
  json_add (object, "steps", steps);
  return object;
}

/* Print FINDING in one of the formats of events.h.  */
static void
print_event (const struct finding_output *output,
             const struct cfi2sframe_finding *finding)
{
  char text[1024];
  snprintf (text, sizeof text,
            "%s at 0x%" PRIx64 "%s%s: CFI says %s, code does %s",
            rule_of (finding, "CFA", "RA", "FP"), finding->address,
            finding->name ? " in " : "", finding->name ? finding->name : "",
            finding->says, finding->does);
  const struct event event
      = { .path = output->path,
          .code = rule_of (finding, "lint-cfa", "lint-ra", "lint-fp"),
          .text = text,
          .address = finding->address };
  event_print (output->options->stats, &event, output->out);
}

static void
report_finding (void *context, const struct cfi2sframe_finding *finding)
{
  const struct finding_output *output = context;
  const struct tool_options *options = output->options;
  if (options->stats == STATS_JSON)
    json_append (output->details, finding_json (finding));
  else if (events_wanted (options->stats))
    print_event (output, finding);
  else if (!options->quiet)
    print_finding (output->path, finding, output->out);
}

/* Begin the array for --stats=json.  Discard that of an earlier attempt, after
   which another run replaced the file.  */
static void
begin_details (struct findings *findings, const struct tool_options *options)
{
  if (options->stats != STATS_JSON)
    return;
  json_object_put (findings->details);
  findings->details = json_new_array ();
}

bool
lint_file (const struct tool_options *options,
           const struct file_location *input, FILE *out,
           struct findings *findings, struct cfi2sframe_error *err)
{
  begin_details (findings, options);
  struct finding_output output = { .options = options,
                                   .path = input->path,
                                   .out = out,
                                   .details = findings->details };
  return location_lint (input, options->convert.threads, report_finding,
                        &output, &findings->lint, err);
}

void
lint_print_json (const char *path, const struct findings *findings,
                 const struct cfi2sframe_error *err, FILE *out)
{
  const struct cfi2sframe_lint_result *result = &findings->lint;
  json_object *object = json_line_new ();
  bool done
      = err->status == CFI2SFRAME_OK || err->status == CFI2SFRAME_MISMATCH;
  json_add_string (object, "file", path);
  json_add_outcome (object,
                    !done                   ? "failed"
                    : result->findings == 0 ? "clean"
                                            : "found",
                    done ? NULL : err);
  json_add_fields (object, lint_fields, FIELD_OF_FILE, result);
  json_add (object, "findings",
            findings->details != NULL ? findings->details : json_new_array ());
  json_print_line (object, out);
}

void
lint_print_counts (const struct tool_options *options, const char *path,
                   const struct cfi2sframe_lint_result *result, FILE *out)
{
  if (options->prints_each_file || options->stats)
    {
      message_name (path, out);
      fprintf (out,
               "%" PRIu64 " finding%s (%" PRIu64 " byte%s) in %" PRIu64
               " of %" PRIu64 " function%s that could be compared\n",
               result->findings, plural_s (result->findings), result->bytes,
               plural_s (result->bytes), result->functions_trusted,
               result->functions, plural_s (result->functions));
    }
  if (result->functions_left > 0)
    {
      message_name (path, out);
      fprintf (out,
               "%" PRIu64 " function%s not followed: that takes too long\n",
               result->functions_left,
               result->functions_left == 1 ? " was" : "s were");
    }
}

/* ---- --compare */

static const char *const kind_names[] = {
  [CFI2SFRAME_ONLY_A] = "only-a",
  [CFI2SFRAME_ONLY_B] = "only-b",
  [CFI2SFRAME_DIFFERENT] = "different",
  [CFI2SFRAME_FILE] = "file",
};

static void
print_difference (const struct cfi2sframe_difference *difference, FILE *out)
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
report_difference (void *context,
                   const struct cfi2sframe_difference *difference)
{
  struct finding_output *output = context;
  const struct tool_options *options = output->options;
  if (options->stats == STATS_JSON)
    json_append (output->details, difference_json (difference));
  else if (!options->quiet
           && (options->verbose > 0 || output->n_differences < LINES_MAX))
    print_difference (difference, output->out);
  output->n_differences++;
}

bool
compare_files (const struct tool_options *options,
               const struct file_location *input, FILE *out,
               struct findings *findings, struct cfi2sframe_error *err)
{
  const struct file_location other = file_location_of_path (options->compared);
  begin_details (findings, options);
  struct finding_output output
      = { .options = options, .out = out, .details = findings->details };
  bool equal = location_compare (input, &other, report_difference, &output,
                                 &findings->compared, err);
  if (!options->quiet && options->stats != STATS_JSON && options->verbose == 0
      && output.n_differences > LINES_MAX)
    fprintf (out, "... and %" PRIu64 " more; -v prints all\n",
             output.n_differences - LINES_MAX);
  return equal;
}

void
compare_print (const struct tool_options *options, const char *path,
               const struct findings *findings, FILE *out)
{
  const struct cfi2sframe_compare_result *result = &findings->compared;
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
                    const struct findings *findings,
                    const struct cfi2sframe_error *err, FILE *out)
{
  const struct cfi2sframe_compare_result *result = &findings->compared;
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
            findings->details != NULL ? findings->details : json_new_array ());
  json_print_line (object, out);
}
