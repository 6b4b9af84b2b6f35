/* cfi2sframe: the program.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/printable.h"
#include "cli/batch.h"
#include "cli/command_line.h"
#include "cli/compare_print.h"
#include "cli/events.h"
#include "cli/file_list.h"
#include "cli/json_line.h"
#include "cli/messages.h"
#include "cli/operands.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/standard_options.h"
#include "cli/totals.h"

enum
{
  EXIT_FOUND = 3 /* --lint found something */
};

/* The exit status STATUS, or failure if a part of what was to be printed could
   not be made or written.  */
static int
flush_output (int status)
{
  if (!json_lines_lost ())
    return standard_output_flush (status);
  fprintf (stderr, "cfi2sframe: standard output: %s\n", strerror (ENOMEM));
  return EXIT_FAILURE;
}

#ifdef __GLIBC__
/* Have the heap begin with huge pages where the kernel gives them to programs
   that ask.  A conversion of a large file fills so much in any case, and a
   tenth of its time goes with small pages (doc/use/speed).  */
static void
use_huge_pages (void)
{
  enum
  {
    HEAP = 12 << 20,
    HUGE_PAGE = 2 << 20
  };
  char *heap = malloc (HEAP);
  if (heap == NULL)
    return;
  size_t skip = -(uintptr_t)heap % HUGE_PAGE;
  madvise (heap + skip, HEAP - HUGE_PAGE, MADV_HUGEPAGE);
  free (heap);
}
#endif

/* Make malloc keep freed memory.  A conversion takes and returns some blocks
   of megabytes one after the other; new pages for each of them take a tenth of
   its time (doc/use/speed).  The library itself leaves its users' allocator
   alone.  */
static void
keep_freed_memory (const struct tool_options *options)
{
#ifdef __GLIBC__
  /* The analysis of code has a few large arrays that grow for a long time and
     would leave holes; mapping new pages for them costs nothing
     measurable.  */
  bool analyses = options->mode == MODE_LINT || options->convert.analyze
                  || options->convert.verify_code;
  /* mallopt refuses more than 32 MiB.  */
  mallopt (M_MMAP_THRESHOLD, analyses ? 256 << 10 : 32 << 20);
  mallopt (M_TRIM_THRESHOLD, 256 << 20);
  mallopt (M_TOP_PAD, 1 << 20);
  use_huge_pages ();
#endif
}

/* Put a failure that is no file's into EVENTS: a report without any failure
   would pass for success.  */
static void
add_failure (const struct tool_options *options, const struct events *events,
             const char *what, const struct cfi2sframe_error *err)
{
  const struct event event = { .path = what,
                               .kind = EVENT_FAILED,
                               .code = cfi2sframe_error_code (err),
                               .text = err->reason };
  if (events_wanted (options->stats))
    event_print (options->stats, &event, events->body);
}

/* Report PROBLEM, an errno, of WHAT, which is not one of the files that are
   worked on.  */
static void
report_problem (const struct tool_options *options,
                const struct events *events, const char *what, int problem)
{
  struct cfi2sframe_error err
      = { .status = problem == ENOMEM ? CFI2SFRAME_NO_MEMORY : CFI2SFRAME_IO };
  snprintf (err.reason, sizeof err.reason, "%s", strerror (problem));
  fputs ("cfi2sframe: ", stderr);
  printable_put (what, stderr);
  fprintf (stderr, ": %s\n", err.reason);
  add_failure (options, events, what, &err);
}

/* Flush the files that --sync=end has not flushed one by one.  */
static bool
flush_written (const struct tool_options *options, const struct events *events)
{
  struct cfi2sframe_error err;
  if (cfi2sframe_flush (&err))
    return true;
  fprintf (stderr, "cfi2sframe: %s\n", err.reason);
  add_failure (options, events, "file system", &err);
  return false;
}

/* Report that memory for the report to other programs ran out.  Returns the
   exit status.  */
static int
fail_report (void)
{
  fputs ("cfi2sframe: out of memory for the report\n", stderr);
  return EXIT_FAILURE;
}

/* Do to each file what the mode says, and print the totals.  */
static int
run_batch (const struct tool_options *options)
{
  struct file_list files = { 0 };
  struct totals totals = { 0 };
  struct message_streams streams = message_streams_choose (options);
  FILE *out = streams.out;
  double start = clock_now ();
  progress_init (!options->quiet
                 && (options->n_files > 1 || tool_options_is_tree (options)));
  struct events events;
  if (!events_begin (&events, options->stats, out))
    return fail_report ();
  streams.out = events.body;
  bool collected = operands_collect (&files, options);
  bool done = collected && batch_run (options, &files, &totals, &streams);
  int problem = collected ? ENOMEM : errno;
  progress_clear ();
  if (!done)
    report_problem (options, &events,
                    problem != ENOMEM && options->files_from != NULL
                        ? options->files_from
                        : "list of files",
                    problem);
  if (totals.lost_texts)
    report_problem (options, &events, "results", ENOMEM);
  bool flushed = flush_written (options, &events);
  totals.not_elf = files.not_elf;
  totals.seconds = clock_now () - start;
  bool told = events_end (&events, totals.done, totals.skipped,
                          totals.failed + totals.findings + !done + !flushed
                              + totals.lost_texts,
                          totals.seconds, out);
  if (done)
    totals_print (&totals, options, out);
  if (done && options->skip_unconvertible == SKIP_ALL && !options->quiet)
    totals_print_left_alone (&totals, streams.errors);
  file_list_free (&files);
  if (!told)
    return fail_report ();
  if (!done || !flushed || totals.lost_texts || totals.failed > 0)
    return EXIT_FAILURE;
  return totals.findings > 0 ? EXIT_FOUND : EXIT_SUCCESS;
}

int
main (int argc, char **argv)
{
  struct tool_options options;
  descriptors_occupy_standard ();
  descriptors_raise_limit ();
  tool_options_parse (&options, argc, argv);
  signals_install (progress_interrupted);
  keep_freed_memory (&options);
  int status = options.mode == MODE_COMPARE
                   ? compare_run (&options, stdout, stderr)
                   : run_batch (&options);
  tool_options_free (&options);
  return flush_output (status);
}
