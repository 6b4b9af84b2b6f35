/* A job: the work on one file, and its result.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/job.h"

#include <string.h>

#include "base/amounts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "compact-unwind/compact_unwind.h"

/* For --require: the file has no .sframe.  Find out by a dry run whether a
   conversion would make one that the named readers accept.  Set job->err to
   say so, or if not to the conversion's reason.  Return false.  */
static bool
require_section (struct job *job)
{
  struct cfi2sframe_options options = job->options->convert;
  struct file_work try = { .input = job->work.input, .options = &options };
  options.dry_run = true;
  options.strict = false;
  options.min_coverage = 0;
  error_clear (&job->err);
  if (!location_convert (&try, &job->err))
    {
      if (job->err.status == CFI2SFRAME_REFUSED)
        job->err.status = CFI2SFRAME_NOTHING;
      return false;
    }
  char percent[16];
  snprintf (
      percent, sizeof percent, "%.1f",
      percent_of (try.report.bytes_covered, try.report.executable_bytes));
  return error_set_word (
      &job->err, CFI2SFRAME_MISMATCH, WORD_MISSING_SFRAME,
      "no .sframe, which it could have for %s percent of its "
      "code",
      percent);
}

/* The function for each mode that changes or makes a file.  */
static location_work *const mode_functions[N_MODES]
    = { [MODE_CONVERT] = location_convert,
        [MODE_SECTION_ONLY] = location_write_section,
        [MODE_DETACH] = location_detach,
        [MODE_REMOVE] = location_remove,
        [MODE_UNDO] = location_undo };

static bool
attempt_mode (void *context, struct error *err)
{
  struct job *job = context;
  const struct tool_options *options = job->options;
  const struct file_location *input = &job->work.input;
  cfi2sframe_report_init (&job->work.report);
  switch (options->mode)
    {
    case MODE_CHECK:
      return location_check (input, &options->convert, &job->check, err)
             || (options->require && err->status == CFI2SFRAME_NOTHING
                 && require_section (job));
    case MODE_COMPARE:
      return compare_files (options, input, job->out, &job->findings, err);
    case MODE_COMPARE_FORMATS:
      return measure_file (input, &job->measurement, err);
    case MODE_LINT:
      return lint_file (options, input, job->out, &job->findings, err);
    case MODE_DUMP:
      if (options->compact_unwind)
        return cunwind_dump_file (input, options->compact_unwind_machine,
                                  job->out, err);
      return location_dump (input, job->out, err);
    default:
      if (options->compact_unwind)
        return cunwind_write_file (input, options->output,
                                   options->convert.dry_run, &job->measurement,
                                   err);
      return mode_functions[options->mode](&job->work, err);
    }
}

/* Return the kind of the reason CFI2SFRAME_UNSUPPORTED with WORD in MODE.  */
static enum job_reason
reason_of_unsupported (enum tool_mode mode, enum error_word word)
{
  bool is_object = word == WORD_OBJECT || word == WORD_ARCHIVE;
  if (mode == MODE_UNDO && is_object)
    return JOB_REASON_OBJECT_SFRAME;
  if (word == WORD_NO_UNDO_RECORD)
    return JOB_REASON_NO_RECORD;
  bool removes = mode == MODE_UNDO || mode == MODE_REMOVE;
  return removes && (is_object || word == WORD_APPENDED_DATA)
             ? JOB_REASON_SFRAME_STAYS
             : JOB_REASON_UNSUPPORTED;
}

/* Return the kind of the reason in job->err.  With --strict, refusals are
   failures of the work, because the option demands that.  */
static enum job_reason
reason_of (const struct job *job)
{
  const struct tool_options *options = job->options;
  enum error_word word = job->err.word;
  switch (job->err.status)
    {
    case CFI2SFRAME_NOTHING:
    case CFI2SFRAME_NOT_ELF:
      return word == WORD_EXCLUDED ? JOB_REASON_EXCLUDED : JOB_REASON_NOTHING;
    case CFI2SFRAME_CHECKSUMMED:
      return JOB_REASON_CHECKSUMMED;
    case CFI2SFRAME_REFUSED:
      return options->convert.strict ? JOB_REASON_WORK : JOB_REASON_REFUSED;
    case CFI2SFRAME_MALFORMED:
      return JOB_REASON_MALFORMED;
    case CFI2SFRAME_UNSUPPORTED:
      return reason_of_unsupported (options->mode, word);
    default:
      return job->in_tree && word == WORD_UNREADABLE ? JOB_REASON_UNREADABLE
                                                     : JOB_REASON_WORK;
    }
}

/* Conditions under which a file is skipped, and does not count as failed.  In
   modes that change nothing an operand fails, because the user asked about the
   section of this very file.  */
enum skipped_when
{
  WHEN_MODE_CHANGES = 1,      /* the mode changes files or detaches sections */
  WHEN_IN_TREE = 2,           /* the file is in a directory or list */
  WHEN_IN_TREE_UNLESS_NO = 4, /* ... without --skip-unconvertible=no */
  WHEN_ASKED = 8              /* --skip-unconvertible, and WHEN_MODE_CHANGES */
};

/* Conditions of each reason; any of them is enough.  */
static const unsigned skipped_when[N_JOB_REASONS] = {
  [JOB_REASON_NOTHING] = WHEN_MODE_CHANGES | WHEN_IN_TREE,
  [JOB_REASON_EXCLUDED] = WHEN_MODE_CHANGES,
  [JOB_REASON_CHECKSUMMED] = WHEN_IN_TREE | WHEN_ASKED,
  [JOB_REASON_UNSUPPORTED] = WHEN_IN_TREE_UNLESS_NO | WHEN_ASKED,
  [JOB_REASON_REFUSED] = WHEN_ASKED,
  [JOB_REASON_MALFORMED] = WHEN_ASKED,
  [JOB_REASON_UNREADABLE] = WHEN_ASKED,
  [JOB_REASON_SFRAME_STAYS] = WHEN_ASKED,
  [JOB_REASON_OBJECT_SFRAME] = WHEN_IN_TREE_UNLESS_NO | WHEN_ASKED,
  [JOB_REASON_NO_RECORD] = WHEN_IN_TREE_UNLESS_NO | WHEN_ASKED,
};

void
job_fail (struct job *job)
{
  const struct tool_options *options = job->options;
  bool changes = tool_mode_is_in (options, MODES_CHANGING)
                 || options->mode == MODE_DETACH;
  unsigned when = 0;
  if (changes)
    when |= WHEN_MODE_CHANGES;
  if (changes && options->skip_unconvertible == SKIP_ALL)
    when |= WHEN_ASKED;
  if (job->in_tree)
    when |= WHEN_IN_TREE;
  if (job->in_tree && options->skip_unconvertible != SKIP_NONE)
    when |= WHEN_IN_TREE_UNLESS_NO;
  job->reason = reason_of (job);
  job->outcome
      = (skipped_when[job->reason] & when) != 0 ? JOB_SKIPPED : JOB_FAILED;
}

/* Do the work of the mode, and again if another run replaced the file
   meanwhile.  In modes that change nothing, that run was a conversion.  */
static void
run_mode (struct job *job)
{
  const struct tool_options *options = job->options;
  mapped_files_forget ();
  /* Before any change, check that a debug file could be updated.  */
  bool ready = !options->debug_twin
               || location_check_debug_twin (&job->work.input,
                                             options->debug_twin_file,
                                             &options->convert, &job->err);
  bool done = ready
              && location_retry (attempt_mode, job, &job->work,
                                 tool_mode_is_in (options, MODES_CHANGING)
                                     ? mode_functions[options->mode]
                                     : location_convert,
                                 &job->err);
  /* If the file was truncated meanwhile, report that, whatever error the zeros
     after its end have caused.  */
  if (!mapped_files_check (&job->err) || !ready)
    job->outcome = JOB_FAILED;
  else if (done)
    job->outcome = JOB_DONE;
  else if (job->err.status == CFI2SFRAME_MISMATCH
           && tool_mode_is_in (options,
                               MODE_BIT (MODE_LINT) | MODE_BIT (MODE_COMPARE)))
    job->outcome = JOB_FOUND;
  else
    job_fail (job);
}

/* Update the debug file to match the file, or the output, as it is now.  A
   failure does not change the outcome of JOB: the file itself may be
   changed.  */
static void
update_debug_file (struct job *job)
{
  const struct tool_options *options = job->options;
  struct file_location now = job->work.input;
  /* Update the debug file of a file that was converted before, too.  But
     --undo and --remove of a file without .sframe write no output.  */
  bool as_before
      = job->outcome == JOB_SKIPPED && job->reason == JOB_REASON_NOTHING
        && (options->output == NULL || options->mode == MODE_CONVERT);
  if (!options->debug_twin || options->convert.dry_run
      || (job->outcome != JOB_DONE && !as_before))
    return;
  if (options->output != NULL)
    now = file_location_of_path (options->output);
  else if (job->outcome == JOB_DONE)
    now.identity = job->work.made;
  if (location_match_debug_twin (&now, options->debug_twin_file,
                                 &options->convert, &job->twin_problem)
      || error_kind (&job->twin_problem) == ERROR_NOTHING)
    error_clear (&job->twin_problem);
}

bool
job_exclude (struct job *job)
{
  const struct tool_options *options = job->options;
  const struct setting *line = configuration_excludes (
      &options->configuration, options->package, options->root, job->path);
  if (line == NULL)
    return false;
  error_set_word (&job->err, CFI2SFRAME_NOTHING, WORD_EXCLUDED,
                  "left out by %s", line->where);
  job_fail (job);
  return true;
}

/* Return the advice to append to JOB's reason, or "".  It names an option that
   helps; the layers that find the reason do not know the options.  */
static const char *
advice (const struct job *job)
{
  const struct tool_options *options = job->options;
  const struct cfi2sframe_error *err = &job->err;
  if (err->status == CFI2SFRAME_CHECKSUMMED
      && tool_mode_is_in (options, MODES_CHANGING))
    return "; see --convert-checksummed";
  if (err->status == CFI2SFRAME_REFUSED && err->word == WORD_BAD_SFRAME)
    return "; see --remove";
  switch (err->word)
    {
    case WORD_OBJECT:
    case WORD_ARCHIVE:
      return err->status == CFI2SFRAME_NOTHING
                     && tool_mode_is_in (options, MODES_TAKING_OBJECTS)
                     && !options->convert.relocatable
                     && !options->compact_unwind
                 ? " (see --relocatable)"
                 : "";
    case WORD_DIRECTORY:
      return options->mode == MODE_COMPARE ? "" : " (see --recursive)";
    case WORD_INTERRUPTED:
      return "; --undo restores the file";
    case WORD_NO_UNDO_RECORD:
      return err->status == CFI2SFRAME_UNSUPPORTED ? "; see --remove" : "";
    default:
      return "";
    }
}

void
job_run (struct job *job)
{
  const struct tool_options *options = job->options;
  double start = clock_now ();
  job->work.options = &options->convert;
  job->work.output
      = options->mode == MODE_DETACH ? options->detached : options->output;
  if (!job_exclude (job))
    run_mode (job);
  /* A build continues with the output that it named, so skipped files are
     copied there.  location_convert has written the output if there was
     nothing to convert.  */
  bool lacks_output
      = job->outcome == JOB_SKIPPED && options->mode == MODE_CONVERT
        && options->output != NULL && job->reason != JOB_REASON_NOTHING;
  if (lacks_output && !location_copy (&job->work, &job->err))
    job->outcome = JOB_FAILED;
  update_debug_file (job);
  if (job->outcome != JOB_DONE)
    {
      char *reason = job->err.reason;
      size_t length = strlen (reason);
      snprintf (reason + length, sizeof job->err.reason - length, "%s",
                advice (job));
    }
  job->seconds = clock_now () - start;
}
