/* A run of cfi2sframe over all files, from the operands to the sums.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/printable.h"
#include "cli/batch.h"
#include "cli/events.h"
#include "cli/file_list.h"
#include "cli/messages.h"
#include "cli/operands.h"
#include "cli/progress.h"
#include "cli/totals.h"

enum
{
  EXIT_FOUND = 3 /* --lint found something */
};

struct run
{
  const struct tool_options *options;
  struct message_streams streams; /* results go to the body of `events` */
  struct events events;
  struct file_list files;
  struct totals totals; /* borrow names from `files` */
};

/* Count a failure that is not a file's, and put it into the events: a report
   without any failure would pass for success.  */
static void
add_problem (struct run *run, const char *what,
             const struct cfi2sframe_error *err)
{
  const struct event event = { .path = what,
                               .kind = EVENT_FAILED,
                               .code = cfi2sframe_error_code (err),
                               .text = err->reason };
  run->totals.problems++;
  if (events_wanted (run->options->stats))
    event_print (run->options->stats, &event, run->events.body);
}

/* Report PROBLEM, an errno, of WHAT, which is not one of the files that are
   worked on.  */
static void
report_problem (struct run *run, const char *what, int problem)
{
  struct cfi2sframe_error err
      = { .status = problem == ENOMEM ? CFI2SFRAME_NO_MEMORY : CFI2SFRAME_IO };
  snprintf (err.reason, sizeof err.reason, "%s", strerror (problem));
  fputs ("cfi2sframe: ", stderr);
  printable_put (what, stderr);
  fprintf (stderr, ": %s\n", err.reason);
  add_problem (run, what, &err);
}

/* Make the list of files and work on it.  False when a part of the list is
   missing, or memory ran out before any file was worked on.  */
static bool
work (struct run *run)
{
  const struct tool_options *options = run->options;
  const char *what = "list of files";
  int problem = ENOMEM;
  bool done = operands_collect (&run->files, options);
  if (!done)
    problem = errno;
  else
    done = batch_run (options, &run->files, &run->totals, &run->streams);
  progress_clear ();
  if (problem != ENOMEM && options->files_from != NULL)
    what = options->files_from;
  if (!done)
    report_problem (run, what, problem);
  if (run->totals.lost_texts)
    report_problem (run, "results", ENOMEM);
  return done;
}

/* Flush the files that --sync=end has not flushed one by one.  */
static void
flush_written (struct run *run)
{
  struct cfi2sframe_error err;
  if (cfi2sframe_flush (&err))
    return;
  fprintf (stderr, "cfi2sframe: %s\n", err.reason);
  add_problem (run, "file system", &err);
}

/* Report that memory for the report to other programs ran out.  Returns the
   exit status.  */
static int
fail_report (void)
{
  fputs ("cfi2sframe: out of memory for the report\n", stderr);
  return EXIT_FAILURE;
}

static void
print_sums (const struct run *run, FILE *out)
{
  const struct tool_options *options = run->options;
  totals_print (&run->totals, options, out);
  if (options->skip_unconvertible == SKIP_ALL && !options->quiet)
    totals_print_left_alone (&run->totals, run->streams.errors);
}

static int
exit_status (const struct totals *totals)
{
  if (totals->problems > 0 || totals->failed > 0)
    return EXIT_FAILURE;
  return totals->findings > 0 ? EXIT_FOUND : EXIT_SUCCESS;
}

int
run_over_files (const struct tool_options *options)
{
  struct run run
      = { .options = options, .streams = message_streams_choose (options) };
  FILE *out = run.streams.out;
  double start = clock_now ();
  progress_init (!options->quiet
                 && (options->n_files > 1 || tool_options_is_tree (options)));
  if (!events_begin (&run.events, options->stats, out))
    return fail_report ();
  run.streams.out = run.events.body;
  bool done = work (&run);
  flush_written (&run);
  run.totals.not_elf = run.files.not_elf;
  run.totals.seconds = clock_now () - start;
  const struct totals *totals = &run.totals;
  bool told = events_end (&run.events, totals->done, totals->skipped,
                          totals->failed + totals->findings + totals->problems,
                          totals->seconds, out);
  if (done)
    print_sums (&run, out);
  file_list_free (&run.files);
  return told ? exit_status (totals) : fail_report ();
}
