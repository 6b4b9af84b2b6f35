/* --lint: findings as lines or as one JSON object per file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/lint_print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/plural.h"
#include "base/printable.h"
#include "convert/location.h"
#include "cli/events.h"
#include "cli/json_line.h"
#include "cli/messages.h"

enum
{
  BYTES_TEXT_MAX = 48 /* no instruction has more than 15 bytes */
};

struct lint_output
{
  const char *path;
  FILE *out;            /* NULL: no lines */
  json_object *details; /* array, or NULL */
  FILE *events;         /* for one of the forms of events.h, or NULL */
  enum tool_stats stats;
};

/* The name of the rule that FINDING contradicts.  */
static const char *
rule_of (const struct cfi2sframe_finding *finding, const char *cfa,
         const char *ra, const char *fp)
{
  return finding->frame_pointer ? fp : finding->return_address ? ra : cfa;
}

/* SIZE BYTES of an instruction, in memory order.  */
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

/* ": ", an instruction's bytes, and its text if it has one.  */
static void
print_instruction (const uint8_t *bytes, size_t size, const char *text,
                   FILE *out)
{
  char bytes_in_words[BYTES_TEXT_MAX];
  fprintf (out, ": %s%s%s", bytes_text (bytes, size, bytes_in_words),
           text ? "  " : "", text ? text : "");
}

static const char *
or_unknown (const char *words)
{
  return words ? words : "?";
}

/* The instructions around FINDING: those with `!' have the wrong row.  */
static void
print_steps (const struct cfi2sframe_finding *finding, FILE *out)
{
  uint64_t behind = finding->n_steps > 0 ? finding->steps[0].address : 0;
  for (size_t i = 0; i < finding->n_steps; i++)
    {
      const struct cfi2sframe_step *step = &finding->steps[i];
      if (step->address != behind)
        fputs ("    ...\n", out);
      behind = step->address + step->instruction_size;
      fprintf (out, "  %c 0x%" PRIx64 "  CFA %-8s  RA %-9s  FP %-9s  CFI %s",
               step->wrong ? '!' : ' ', step->address, or_unknown (step->cfa),
               or_unknown (step->return_address),
               or_unknown (step->frame_pointer), or_unknown (step->says));
      print_instruction (step->instruction, step->instruction_size,
                         step->instruction_text, out);
      fputs ("\n", out);
    }
}

static void
print_line (const struct lint_output *output,
            const struct cfi2sframe_finding *finding)
{
  message_name (output->path, output->out);
  if (finding->name)
    {
      printable_put (finding->name, output->out);
      fprintf (output->out, " (0x%" PRIx64 ")", finding->function);
    }
  else
    fprintf (output->out, "0x%" PRIx64, finding->function);
  fprintf (output->out,
           ": 0x%" PRIx64 "-0x%" PRIx64 " (%" PRIu64
           " byte%s): %s: CFI says %s, code does %s; since the instruction at "
           "0x%" PRIx64,
           finding->address, finding->address + finding->size, finding->bytes,
           plural_s (finding->bytes), rule_of (finding, "CFA", "RA", "FP"),
           finding->says, finding->does, finding->since);
  if (finding->instruction_size > 0)
    print_instruction (finding->instruction, finding->instruction_size,
                       finding->instruction_text, output->out);
  fprintf (output->out, "\n");
  print_steps (finding, output->out);
}

/* An instruction of an array of them.  */
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
  json_add (object, "wrong", json_object_new_boolean (step->wrong));
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

/* A finding in one of the forms of events.h.  */
static void
print_event (const struct lint_output *output,
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
  event_print (output->stats, &event, output->events);
}

static void
take_finding (void *context, const struct cfi2sframe_finding *finding)
{
  const struct lint_output *output = context;
  if (output->out)
    print_line (output, finding);
  if (output->details)
    json_append (output->details, finding_json (finding));
  if (output->events)
    print_event (output, finding);
}

bool
lint_file (const struct tool_options *options,
           const struct file_location *input, FILE *out,
           struct lint_outcome *outcome, struct cfi2sframe_error *err)
{
  bool json = options->stats == STATS_JSON;
  bool as_events = events_wanted (options->stats);
  if (json)
    outcome->findings = json_new_array ();
  struct lint_output output
      = { .path = input->path,
          .out = options->quiet || json || as_events ? NULL : out,
          .details = outcome->findings,
          .events = as_events ? out : NULL,
          .stats = options->stats };
  cfi2sframe_lint_result_init (&outcome->result);
  return location_lint (input, options->convert.threads, take_finding, &output,
                        &outcome->result, err);
}

void
lint_print_json (const char *path, const struct lint_outcome *outcome,
                 const struct cfi2sframe_error *err, FILE *out)
{
  const struct cfi2sframe_lint_result *result = &outcome->result;
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
            outcome->findings != NULL ? outcome->findings : json_new_array ());
  json_print_line (object, out);
}

void
lint_print_counts (const struct tool_options *options, const char *path,
                   const struct cfi2sframe_lint_result *result, FILE *out)
{
  if (options->talkative || options->stats)
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
