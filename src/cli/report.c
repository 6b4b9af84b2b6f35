/* Reports on one file: problems, warnings, and whose figures are printed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/printable.h"
#include "cli/check_print.h"
#include "cli/conversion_print.h"
#include "cli/events.h"
#include "cli/measure_print.h"
#include "cli/messages.h"
#include "cli/json_line.h"

/* What is at fault stands in front, which may be another file than the one
   that was to be worked on.  */
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

/* Warn where signatures or seals of the old contents do not cover the new
   ones: files must be converted before they are signed or sealed.  */
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

static void
print_existing (const struct job *job, FILE *errors)
{
  char text[sizeof job->work.report.existing + 100];
  snprintf (text, sizeof text,
            "the .sframe that is there %s; --replace makes a new one",
            job->work.report.existing);
  print_warning (job, text, errors);
}

static void
print_taken_back (const struct job *job, FILE *out)
{
  const struct tool_options *options = job->options;
  if (!options->talkative && options->stats == STATS_NONE)
    return;
  message_name (job->path, out);
  fprintf (out, "%s%s\n", options->convert.dry_run ? "could be " : "",
           mode_names[options->mode].status);
}

static void
print_taken_back_json (const struct job *job, FILE *out)
{
  json_object *object = job_json (job);
  json_add_seconds (object, job->seconds);
  json_print_line (object, out);
}

static void
print_lint (const struct job *job, FILE *out)
{
  lint_print_counts (job->options, job->path, &job->lint.result, out);
}

static void
print_lint_json (const struct job *job, FILE *out)
{
  lint_print_json (job->path, &job->lint, &job->err, out);
}

static void
print_comparison (const struct job *job, FILE *out)
{
  compare_print (job->options, job->path, &job->comparison, out);
}

static void
print_comparison_json (const struct job *job, FILE *out)
{
  compare_print_json (job->options, job->path, &job->comparison, &job->err,
                      out);
}

/* How each mode reports a file: for people, if it was worked on, and in JSON,
   whatever became of it.  A dump is printed as it is made.  */
static const struct printer
{
  void (*text) (const struct job *job, FILE *out);
  void (*json) (const struct job *job, FILE *out);
} printers[N_MODES] = {
  [MODE_CONVERT] = { conversion_print, conversion_print_json },
  [MODE_SECTION_ONLY] = { conversion_print, conversion_print_json },
  [MODE_DETACH] = { conversion_print, conversion_print_json },
  [MODE_CHECK] = { check_print, check_print_json },
  [MODE_COMPARE] = { print_comparison, print_comparison_json },
  [MODE_COMPARE_FORMATS] = { measure_print, measure_print_json },
  [MODE_LINT] = { print_lint, print_lint_json },
  [MODE_REMOVE] = { print_taken_back, print_taken_back_json },
  [MODE_UNDO] = { print_taken_back, print_taken_back_json },
};

static void
report_event (const struct job *job, FILE *out)
{
  bool done = job->outcome == JOB_DONE;
  const struct event event
      = { .path = job->path,
          .skipped = job->outcome == JOB_SKIPPED,
          .code = done ? NULL : cfi2sframe_error_code (&job->err),
          .text = done ? NULL : job->err.reason,
          .address = done ? 0 : job->check.first_wrong,
          .seconds = job->seconds };
  event_print (job->options->stats, &event, out);
}

/* Whether JOB, which was skipped, gets a note.  */
static bool
is_noted (const struct job *job)
{
  const struct tool_options *options = job->options;
  /* That something keeps a checksum cannot be seen in the file itself.  */
  if (job->reason == JOB_REASON_CHECKSUMMED)
    return true;
  /* A file was named.  If something was demanded of it, silence would look as
     if the demand was met; for an archive, like success.  */
  if (job->found)
    return false;
  /* The sums note what keeps an .sframe.  */
  if (job->reason == JOB_REASON_STAYS || job->reason == JOB_REASON_UNMARKED)
    return false;
  if (job->err.word == WORD_ARCHIVE && !options->convert.relocatable
      && options->verbose == 0 && options->stats == STATS_NONE)
    return true;
  return !options->talkative && options->skip_unconvertible == SKIP_IN_TREES
         && (options->convert.strict || options->convert.min_coverage > 0);
}

static void
print_warnings (const struct job *job, FILE *errors)
{
  const struct tool_options *options = job->options;
  if (job->outcome == JOB_DONE && tool_options_are (options, MODES_CHANGING))
    print_concerns (job, errors);
  if (job->work.report.existing[0] != '\0' && options->mode == MODE_CONVERT)
    print_existing (job, errors);
  if (job->outcome != JOB_SKIPPED || !is_noted (job))
    return;
  message_begin (job->path, errors);
  fprintf (errors, "note: skipped: %s\n", job->err.reason);
}

static void
print_text (const struct job *job, const struct printer *printer, FILE *out)
{
  const struct tool_options *options = job->options;
  switch (job->outcome)
    {
    case JOB_DONE:
    case JOB_FOUND:
      if (printer->text != NULL)
        printer->text (job, out);
      break;
    case JOB_SKIPPED:
      if (is_noted (job)
          || (!options->talkative && options->stats != STATS_TEXT))
        break;
      message_name (job->path, out);
      fprintf (out, "skipped: %s\n", job->err.reason);
      break;
    case JOB_FAILED:
      if (options->mode == MODE_CHECK && job->check.functions > 0
          && job->err.status == CFI2SFRAME_MISMATCH)
        check_print (job, out);
    }
}

void
report_job (const struct job *job, FILE *out, FILE *errors)
{
  const struct tool_options *options = job->options;
  enum tool_mode mode = options->mode;
  if (mode == MODE_SECTION_ONLY && options->compact_unwind)
    mode = MODE_COMPARE_FORMATS;
  const struct printer *printer = &printers[mode];
  if (job->outcome == JOB_FAILED)
    print_problem (job, errors);
  if (options->stats == STATS_JSON)
    printer->json (job, out);
  else if (events_wanted (options->stats) && job->outcome != JOB_FOUND)
    report_event (job, out);
  if (options->quiet)
    return;
  print_warnings (job, errors);
  if (options->stats <= STATS_TEXT)
    print_text (job, printer, out);
}
