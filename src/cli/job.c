/* One file and what became of it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/job.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/percent.h"
#include "compact-unwind/compact_unwind.h"

/* The file has no .sframe.  With --require, find out whether it could have
   one: by a conversion that writes nothing.  If not, the reason takes the
   place of the missing section.  */
static bool
require_section (struct job *job, const struct tool_options *options)
{
  struct cfi2sframe_options try = options->convert;
  struct file_identity made;
  try.dry_run = true;
  try.strict = false;
  try.min_coverage = 0;
  try.readers = 0;
  error_clear (&job->err);
  if (!location_convert (&job->location, NULL, &try, &made, &job->report,
                         &job->err))
    {
      if (job->err.status == CFI2SFRAME_REFUSED)
        job->err.status = CFI2SFRAME_NOTHING;
      return false;
    }
  char percent[16];
  snprintf (
      percent, sizeof percent, "%.1f",
      percent_of (job->report.bytes_covered, job->report.executable_bytes));
  return error_set_word (
      &job->err, CFI2SFRAME_MISMATCH, WORD_MISSING_SFRAME,
      "no .sframe, which it could have for %s percent of its "
      "code",
      percent);
}

static bool
check (struct job *job, const struct tool_options *options)
{
  if (location_check (&job->location, &options->convert, &job->check,
                      &job->err))
    return true;
  return options->require && job->err.status == CFI2SFRAME_NOTHING
         && require_section (job, options);
}

/* What changes a file, by enum tool_mode.  */
static location_change *const changes[N_MODES]
    = { [MODE_CONVERT] = location_convert,
        [MODE_REMOVE] = location_remove,
        [MODE_UNDO] = location_undo };

static bool
run_mode (struct job *job, const struct tool_options *options)
{
  switch (options->mode)
    {
    case MODE_SECTION_ONLY:
      if (options->compact_unwind)
        return cunwind_write_file (
            &job->location, options->convert.dry_run ? NULL : options->output,
            &job->measurement, &job->err);
      return location_write_section (&job->location, options->output,
                                     &options->convert, &job->report,
                                     &job->err);
    case MODE_CHECK:
      return check (job, options);
    case MODE_COMPARE_FORMATS:
      return measure_file (&job->location, &job->measurement, &job->err);
    case MODE_DUMP:
      if (options->compact_unwind)
        return cunwind_dump_file (&job->location,
                                  options->compact_unwind_machine, job->out,
                                  &job->err);
      return location_dump (&job->location, job->out, &job->err);
    case MODE_LINT:
      return lint_file (options, &job->location, job->out, &job->lint,
                        &job->err);
    case MODE_DETACH:
      return location_detach (&job->location, options->detached,
                              &options->convert, &job->report, &job->err);
    default:
      return changes[options->mode](&job->location, options->output,
                                    &options->convert, &job->made,
                                    &job->report, &job->err);
    }
}

struct attempt
{
  struct job *job;
  const struct tool_options *options;
};

static bool
attempt_mode (void *context, struct error *err)
{
  const struct attempt *attempt = context;
  (void)err; /* the job's */
  cfi2sframe_report_init (&attempt->job->report);
  return run_mode (attempt->job, attempt->options);
}

/* Do what the mode says, and do it again where another run was faster.  A mode
   that changes nothing is overtaken by conversions.  */
static bool
run_mode_among_others (struct job *job, const struct tool_options *options)
{
  struct attempt attempt = { job, options };
  location_change *change = changes[options->mode];
  return location_persist (attempt_mode, &attempt, &job->location,
                           change != NULL ? change : location_convert,
                           &options->convert, &job->err);
}

bool
job_is_unconvertible (const struct job *job)
{
  return error_kind (&job->err) == ERROR_UNCONVERTIBLE;
}

static bool
is_change (const struct tool_options *options)
{
  return ((MODES_CHANGING | MODE_BIT (MODE_DETACH)) & MODE_BIT (options->mode))
         != 0;
}

bool
job_is_unreadable (const struct job *job)
{
  return job->found && job->err.word == WORD_UNREADABLE;
}

/* Whether JOB's failure is counted as skipped. --strict asks for failures that
   are refusals, so that these stay failures.  */
static bool
may_skip_unconvertible (const struct tool_options *options,
                        const struct job *job)
{
  return options->skip_unconvertible == SKIP_ALL
         && (job_is_unconvertible (job) || job_is_unreadable (job))
         && is_change (options)
         && !(options->convert.strict
              && job->err.status == CFI2SFRAME_REFUSED);
}

/* Whether JOB, which did not succeed, is skipped and no failure.  Modes that
   change files skip a file that needs no change.  For a check, a dump or a
   section, which name this very file, a missing .sframe is a failure.  */
static bool
is_skip (const struct tool_options *options, const struct job *job)
{
  const struct cfi2sframe_error *err = &job->err;
  if (error_kind (err) == ERROR_NOTHING)
    return job->found || is_change (options);
  return may_skip_unconvertible (options, job)
         || (job->found
             && (err->status == CFI2SFRAME_CHECKSUMMED
                 || (err->status == CFI2SFRAME_UNSUPPORTED
                     && options->skip_unconvertible != SKIP_NONE)));
}

enum job_outcome
job_failure_outcome (const struct job *job, const struct tool_options *options)
{
  return is_skip (options, job) ? JOB_SKIPPED : JOB_FAILED;
}

/* With --debug-twin: check, before any change, that the debug file, if there
   is one, is this file's and can follow it.  */
static bool
check_debug_twin (struct job *job, const struct tool_options *options)
{
  return !options->debug_twin
         || location_check_debug_twin (&job->location,
                                       options->debug_twin_file,
                                       &options->convert, &job->err);
}

/* Do what the mode says.  Where the file was cut off meanwhile, that is what
   is wrong, whatever was found in the zeros behind its end.  */
static enum job_outcome
run (struct job *job, const struct tool_options *options)
{
  mapped_files_forget ();
  bool ready = check_debug_twin (job, options);
  bool done = ready && run_mode_among_others (job, options);
  if (!mapped_files_check (&job->err) || !ready)
    return JOB_FAILED;
  if (done)
    return JOB_DONE;
  if (options->mode == MODE_LINT && job->err.status == CFI2SFRAME_MISMATCH)
    return JOB_FOUND;
  return job_failure_outcome (job, options);
}

/* Whether the debug file has to match the file as it is now: one that was
   changed, or that was converted before.  Where there was nothing to take
   back, no output was written.  */
static bool
has_debug_twin (const struct job *job, const struct tool_options *options)
{
  return options->debug_twin && !options->convert.dry_run && !job->excluded
         && (job->outcome == JOB_DONE
             || (job->outcome == JOB_SKIPPED
                 && job->err.status == CFI2SFRAME_NOTHING
                 && (options->output == NULL
                     || options->mode == MODE_CONVERT)));
}

/* Change the debug file to match the file, or the output, as it is now.  That
   this fails says nothing about the file, which may have been changed.  */
static void
follow_debug_twin (struct job *job, const struct tool_options *options)
{
  struct file_location now = job->location;
  if (options->output != NULL)
    now = file_location_of_path (options->output);
  else if (job->outcome == JOB_DONE)
    now.identity = job->made;
  if (location_match_debug_twin (&now, options->debug_twin_file,
                                 &options->convert, &job->twin_problem)
      || error_kind (&job->twin_problem) == ERROR_NOTHING)
    error_clear (&job->twin_problem);
}

bool
job_is_excluded (struct job *job, const struct tool_options *options)
{
  const struct setting *line = configuration_excludes (
      &options->configuration, options->package, options->root, job->path);
  job->excluded = line != NULL;
  if (job->excluded)
    error_set_word (&job->err, CFI2SFRAME_NOTHING, WORD_EXCLUDED,
                    "left out by %s", line->where);
  return job->excluded;
}

/* Whether the output of JOB, which is skipped, is still to be written: a build
   goes on with the output that it names.  location_convert writes the output
   where there is nothing to convert.  */
static bool
lacks_output (const struct job *job, const struct tool_options *options)
{
  return job->outcome == JOB_SKIPPED && options->mode == MODE_CONVERT
         && options->output != NULL
         && (job->excluded || job_is_unconvertible (job));
}

/* Whether OPTIONS lack --relocatable, and what they ask for would be done with
   objects then.  */
static bool
could_take_objects (const struct tool_options *options)
{
  return !options->convert.relocatable && !options->compact_unwind
         && (MODES_TAKING_OBJECTS & MODE_BIT (options->mode)) != 0;
}

/* What a user could do about JOB's failure with an option, to stand behind the
   reason, or "".  */
static const char *
advice (const struct job *job, const struct tool_options *options)
{
  const struct cfi2sframe_error *err = &job->err;
  if (err->status == CFI2SFRAME_CHECKSUMMED
      && (MODES_CHANGING & MODE_BIT (options->mode)) != 0)
    return "; see --convert-checksummed";
  if (err->status == CFI2SFRAME_REFUSED && err->word == WORD_BAD_SFRAME)
    return "; see --remove";
  switch (err->word)
    {
    case WORD_OBJECT:
    case WORD_ARCHIVE:
      return err->status == CFI2SFRAME_NOTHING && could_take_objects (options)
                 ? " (see --relocatable)"
                 : "";
    case WORD_DIRECTORY:
      return " (see --recursive)";
    case WORD_INTERRUPTED:
      return "; --undo restores the file";
    case WORD_NO_UNDO_RECORD:
      return err->status == CFI2SFRAME_UNSUPPORTED ? "; see --remove" : "";
    default:
      return "";
    }
}

/* Add what the program can advise to a reason: layers that find it do not know
   options.  */
static void
add_advice (struct job *job, const struct tool_options *options)
{
  char *reason = job->err.reason;
  size_t length = strlen (reason);
  snprintf (reason + length, sizeof job->err.reason - length, "%s",
            advice (job, options));
}

void
job_run (struct job *job, const struct tool_options *options)
{
  cfi2sframe_report_init (&job->report);
  double start = clock_now ();
  job->outcome
      = job_is_excluded (job, options) ? JOB_SKIPPED : run (job, options);
  if (lacks_output (job, options)
      && !location_copy (&job->location, options->output, &options->convert,
                         &job->err))
    job->outcome = JOB_FAILED;
  if (has_debug_twin (job, options))
    follow_debug_twin (job, options);
  if (job->outcome != JOB_DONE)
    add_advice (job, options);
  job->seconds = clock_now () - start;
}
