/* Reports on one file, as text and as JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/amounts.h"
#include "base/error.h"
#include "base/printable.h"
#include "cli/events.h"
#include "cli/measure_print.h"
#include "cli/messages.h"
#include "sframe/formats.h"

/* ---- Conversions */

bool
conversion_is_of_eh_frame (const struct cfi2sframe_report *report)
{
  return report->debug_frame_functions == 0
         && report->debug_file_functions == 0;
}

double
conversion_size_ratio (const struct cfi2sframe_report *report)
{
  uint64_t cfi = report->eh_frame_bytes + report->eh_frame_hdr_bytes;
  if (!conversion_is_of_eh_frame (report))
    cfi += report->debug_frame_bytes;
  return cfi == 0 ? 0 : (double)report->sframe_bytes / (double)cfi;
}

static void
print_summary (const struct job *job, FILE *out)
{
  const struct cfi2sframe_report *report = &job->work.report;
  message_name (job->path, out);
  fprintf (out,
           "SFrame V%s for %s: %" PRIu64 " bytes (%.2f of %s), %" PRIu64
           " of %" PRIu64 " function%s, %.1f %% of the code, %s, %.0f ms\n",
           format_name (job->options->convert.format), report->machine,
           report->sframe_bytes, conversion_size_ratio (report),
           conversion_is_of_eh_frame (report) ? ".eh_frame + .eh_frame_hdr"
                                              : "its CFI",
           report->functions_covered, report->cfi_functions,
           plural_s (report->cfi_functions),
           percent_of (report->bytes_covered, report->executable_bytes),
           report->strategy, job->seconds * 1e3);
}

void
conversion_print_left_out (const struct cfi2sframe_report *report, FILE *out)
{
  for (unsigned i = 1; i < CFI2SFRAME_REASONS_MAX; i++)
    if (report->left_out[i] > 0)
      fprintf (out, "  left out: %" PRIu64 " (%s)\n", report->left_out[i],
               cfi2sframe_reason_text (i));
  if (report->return_addresses > 0)
    fprintf (out, "  left out: %" PRIu64 " place%s (return-address)\n",
             report->return_addresses, plural_s (report->return_addresses));
}

/* Print WHAT and TEXT, which may contain file names, unless TEXT is empty.  */
static void
print_line (const char *what, const char *text, FILE *out)
{
  char shown[4 * sizeof ((struct cfi2sframe_report *)0)->debug_file];
  printable_copy (shown, sizeof shown, text);
  if (text[0] != '\0')
    fprintf (out, "  %s: %s\n", what, shown);
}

/* Print which CFI was found besides .eh_frame, if any.  */
static void
print_debug (const struct cfi2sframe_report *report, FILE *out)
{
  uint64_t own = report->debug_frame_functions;
  uint64_t outside = report->debug_file_functions;
  if (report->debug_frame_bytes > 0)
    fprintf (out,
             "  functions from .eh_frame %" PRIu64
             ", from .debug_frame %" PRIu64 ", from a debug file %" PRIu64
             "; .debug_frame %" PRIu64 " bytes\n",
             report->cfi_functions - own - outside, own, outside,
             report->debug_frame_bytes);
  if (report->set_aside > 0)
    fprintf (out,
             "  %" PRIu64 " FDEs of .debug_frame are for code that is "
             "described already, %" PRIu64 " of them contradict that\n",
             report->set_aside, report->contradictions);
  print_line ("debug file", report->debug_file, out);
  print_line ("note", report->cfi_note, out);
}

/* With --analyze: print where the rows come from.  */
static void
print_from_code (const struct tool_options *options,
                 const struct cfi2sframe_report *report, FILE *out)
{
  uint64_t from_cfi = report->bytes_covered - report->bytes_from_code;
  if (options->convert.analyze)
    fprintf (out,
             "  from CFI %" PRIu64 " bytes, from code %" PRIu64
             " bytes (%" PRIu64 " function%s); rows for %.2f %% of the code "
             "instead of %.2f %%\n",
             from_cfi, report->bytes_from_code, report->functions_from_code,
             plural_s (report->functions_from_code),
             percent_of (report->bytes_covered, report->executable_bytes),
             percent_of (from_cfi, report->executable_bytes));
}

static void
print_sizes (const struct cfi2sframe_report *report, FILE *out)
{
  fprintf (out,
           "  .eh_frame %" PRIu64 ", .eh_frame_hdr %" PRIu64
           ", .sframe %" PRIu64,
           report->eh_frame_bytes, report->eh_frame_hdr_bytes,
           report->sframe_bytes);
  if (report->output_bytes > 0)
    fprintf (out, ", file %" PRIu64 " -> %" PRIu64, report->input_bytes,
             report->output_bytes);
  fputs (" bytes\n", out);
  fprintf (out,
           "  %" PRIu64 " FDEs, %" PRIu64 " FREs; code covered %" PRIu64
           ", left out %" PRIu64 " bytes\n",
           report->sframe_fdes, report->sframe_fres, report->bytes_covered,
           report->bytes_left_out);
}

/* Print the figures that the options ask for.  */
static void
print_conversion (const struct job *job, FILE *out)
{
  const struct tool_options *options = job->options;
  const struct cfi2sframe_report *report = &job->work.report;
  bool all = options->stats == STATS_TEXT;
  if (!all && !options->prints_each_file)
    return;
  print_summary (job, out);
  if (all)
    print_sizes (report, out);
  print_debug (report, out);
  print_from_code (options, report, out);
  if (!all && options->verbose <= 1)
    return;
  conversion_print_left_out (report, out);
  if (report->damage[0] != '\0')
    fprintf (out, "  first damage: %s (%s+0x%" PRIx64 ")\n", report->damage,
             report->debug_damage ? ".debug_frame" : ".eh_frame",
             report->first_damage);
}

static void
add_conversion_json (json_object *object, const struct job *job)
{
  const struct tool_options *options = job->options;
  const struct cfi2sframe_report *report = &job->work.report;
  unsigned uses = FIELD_OF_FILE
                  | (options->convert.analyze ? FIELD_ANALYZE : 0)
                  | (report->debug_frame_bytes > 0 ? FIELD_DEBUG_FRAME : 0);
  json_add_string (object, "machine", report->machine);
  json_add_string (object, "format", format_name (options->convert.format));
  json_add_string (object, "strategy", report->strategy);
  json_add_fields (object, report_fields, uses, report);
  if (report->debug_file[0] != '\0')
    json_add_string (object, "debug_file", report->debug_file);
  if (report->cfi_note[0] != '\0')
    json_add_string (object, "cfi_note", report->cfi_note);
  json_add_counts (object, "left_out", report->left_out,
                   CFI2SFRAME_REASONS_MAX, cfi2sframe_reason_name);
}

/* ---- --check */

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

static void
print_check (const struct job *job, FILE *out)
{
  message_name (job->path, out);
  check_print_counts (&job->check, out);
  /* The findings for the readers of --for, one to a line.  */
  for (const char *lines = job->check.readers; lines[0] != '\0';)
    {
      size_t length = strcspn (lines, "\n");
      fprintf (out, "  %.*s\n", (int)length, lines);
      lines += length + (lines[length] == '\n');
    }
}

void
check_add_json (json_object *object,
                const struct cfi2sframe_check_result *check)
{
  json_add_fields (object, check_fields, FIELD_OF_FILE, check);
  if (check->readers[0] != '\0')
    json_add_string (object, "readers", check->readers);
}

/* ---- Problems and warnings */

/* Begin the message with the file at fault, which may not be the input.  */
static void
print_problem (const struct job *job, FILE *errors)
{
  const struct cfi2sframe_error *err = &job->err;
  bool other = err->file[0] != '\0' && strcmp (err->file, job->path) != 0;
  message_begin (other ? err->file : job->path, errors);
  fputs (err->reason, errors);
  if (other)
    {
      fputs (" (for ", errors);
      printable_put (job->path, errors);
      fputc (')', errors);
    }
  else if (err->has_offset)
    fprintf (errors, " (at offset 0x%" PRIx64 ")", err->offset);
  fputc ('\n', errors);
}

static void
print_warning (const struct job *job, const char *text, FILE *errors)
{
  message_begin (job->path, errors);
  fprintf (errors, "warning: %s\n", text);
}

/* Warn if the file lost a signature, a seal or attributes.  Files must be
   converted before they are signed or sealed.  */
static void
print_concerns (const struct job *job, FILE *errors)
{
  if (job->work.report.signed_ima)
    print_warning (job,
                   "its IMA signature is for the old contents and was not "
                   "taken over",
                   errors);
  if (job->work.report.sealed_verity)
    print_warning (job,
                   "the new file is not protected by fs-verity as the old "
                   "one was",
                   errors);
  if (job->work.report.flags_lost)
    print_warning (job,
                   "the new file does not have all file attributes (chattr) "
                   "of the old one",
                   errors);
}

/* Whether to print a note for JOB, which was skipped.  */
static bool
is_noted (const struct job *job)
{
  const struct tool_options *options = job->options;
  /* The file itself does not show that something keeps a checksum of it.  */
  if (job->reason == JOB_REASON_CHECKSUMMED)
    return true;
  /* totals_print_skipped prints a note for the latter two.  */
  if (job->in_tree || job->reason == JOB_REASON_SFRAME_STAYS
      || job->reason == JOB_REASON_OBJECT_SFRAME)
    return false;
  /* The file is an operand.  Silence would look as if an archive was
     converted, or as if the file met the demands of the options.  */
  if (job->err.word == WORD_ARCHIVE && !options->convert.relocatable
      && options->verbose == 0 && options->stats == STATS_NONE)
    return true;
  return !options->prints_each_file
         && options->skip_unconvertible == SKIP_IN_TREES
         && (options->convert.strict || options->convert.min_coverage > 0);
}

static void
print_warnings (const struct job *job, FILE *errors)
{
  const struct tool_options *options = job->options;
  if (job->outcome == JOB_DONE && tool_mode_is_in (options, MODES_CHANGING))
    print_concerns (job, errors);
  if (job->work.report.existing[0] != '\0' && options->mode == MODE_CONVERT)
    {
      char text[sizeof job->work.report.existing + 100];
      snprintf (text, sizeof text,
                "the .sframe that is there %s; --replace makes a new one",
                job->work.report.existing);
      print_warning (job, text, errors);
    }
  if (job->outcome != JOB_SKIPPED || !is_noted (job))
    return;
  message_begin (job->path, errors);
  fprintf (errors, "note: skipped: %s\n", job->err.reason);
}

/* ---- Reports */

/* Print as text the figures of JOB, which was done in MODE.  */
static void
print_figures (const struct job *job, enum tool_mode mode, FILE *out)
{
  const struct tool_options *options = job->options;
  switch (mode)
    {
    case MODE_CHECK:
      print_check (job, out);
      break;
    case MODE_COMPARE:
      compare_print (options, job->path, &job->findings, out);
      break;
    case MODE_COMPARE_FORMATS:
      measure_print (job, out);
      break;
    case MODE_LINT:
      lint_print_counts (options, job->path, &job->findings.lint, out);
      break;
    case MODE_REMOVE:
    case MODE_UNDO:
      if (!options->prints_each_file && options->stats == STATS_NONE)
        break;
      message_name (job->path, out);
      fprintf (out, "%s%s\n", options->convert.dry_run ? "could be " : "",
               mode_names[mode].status);
      break;
    case MODE_DUMP: /* the dump itself is the output */
      break;
    default:
      print_conversion (job, out);
    }
}

/* Print JOB as a line of JSON, whatever its outcome.  In all modes but --lint
   and --compare, the line begins with file, status and reason.  */
static void
print_json (const struct job *job, enum tool_mode mode, FILE *out)
{
  /* By the mode of the options: compact unwind has a report as of
     --compare-formats, but was made.  */
  const char *const outcomes[]
      = { [JOB_DONE] = mode_names[job->options->mode].status,
          [JOB_SKIPPED] = "skipped",
          [JOB_FAILED] = "failed" };
  if (mode == MODE_LINT)
    {
      lint_print_json (job->path, &job->findings, &job->err, out);
      return;
    }
  if (mode == MODE_COMPARE)
    {
      compare_print_json (job->options, job->path, &job->findings, &job->err,
                          out);
      return;
    }
  json_object *object = json_line_new ();
  json_add_string (object, "file", job->path);
  json_add_outcome (object, outcomes[job->outcome],
                    job->outcome == JOB_DONE ? NULL : &job->err);
  if (mode == MODE_CHECK)
    check_add_json (object, &job->check);
  else if (mode == MODE_COMPARE_FORMATS)
    {
      json_add_string (object, "machine", job->measurement.machine);
      measure_add_json (object, &job->measurement);
    }
  else if (tool_mode_is_in (job->options, MODES_MAKING))
    add_conversion_json (object, job);
  json_add_seconds (object, job->seconds);
  json_print_line (object, out);
}

static void
print_text (const struct job *job, enum tool_mode mode, FILE *out)
{
  const struct tool_options *options = job->options;
  switch (job->outcome)
    {
    case JOB_DONE:
    case JOB_FOUND:
      print_figures (job, mode, out);
      break;
    case JOB_SKIPPED:
      if (is_noted (job)
          || (!options->prints_each_file && options->stats != STATS_TEXT))
        break;
      message_name (job->path, out);
      fprintf (out, "skipped: %s\n", job->err.reason);
      break;
    case JOB_FAILED:
      if (options->mode == MODE_CHECK && job->check.functions > 0
          && job->err.status == CFI2SFRAME_MISMATCH)
        print_check (job, out);
    }
}

void
report_job (const struct job *job, FILE *out, FILE *errors)
{
  const struct tool_options *options = job->options;
  enum tool_mode mode = options->mode;
  if (mode == MODE_SECTION_ONLY && options->compact_unwind)
    mode = MODE_COMPARE_FORMATS;
  if (job->outcome == JOB_FAILED)
    print_problem (job, errors);
  if (options->stats == STATS_JSON)
    print_json (job, mode, out);
  else if (events_wanted (options->stats) && job->outcome != JOB_FOUND)
    {
      bool done = job->outcome == JOB_DONE;
      const struct event event
          = { .path = job->path,
              .skipped = job->outcome == JOB_SKIPPED,
              .code = done ? NULL : cfi2sframe_error_code (&job->err),
              .text = done ? NULL : job->err.reason,
              .address = done ? 0 : job->check.first_wrong,
              .seconds = job->seconds };
      event_print (options->stats, &event, out);
    }
  if (options->quiet)
    return;
  print_warnings (job, errors);
  if (options->stats <= STATS_TEXT)
    print_text (job, mode, out);
}
