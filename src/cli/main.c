/* cfi2sframe: main, and a run over all files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/io.h"
#include "cli/batch.h"
#include "cli/events.h"
#include "cli/json_line.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/standard_options.h"

/* ---- A run over all files */

enum
{
  EXIT_FOUND = 3 /* --lint found wrong rows */
};

struct run
{
  const struct tool_options *options;
  struct message_streams streams; /* results go to events.body */
  struct events events;
  struct file_list files;
  struct totals totals; /* borrows names from `files' */
};

/* Count ERR, a failure of the run rather than of one file, and report it as an
   event: a report without any failure would look like success.  */
static void
add_problem (struct run *run, const char *what,
             const struct cfi2sframe_error *err)
{
  const struct event event = { .path = what,
                               .code = cfi2sframe_error_code (err),
                               .text = err->reason };
  run->totals.problems++;
  if (events_wanted (run->options->stats))
    event_print (run->options->stats, &event, run->events.body);
}

/* Print and count PROBLEM, an errno, of WHAT, which is no input file.  */
static void
report_problem (struct run *run, const char *what, int problem)
{
  struct cfi2sframe_error err
      = { .status = problem == ENOMEM ? CFI2SFRAME_NO_MEMORY : CFI2SFRAME_IO };
  snprintf (err.reason, sizeof err.reason, "%s", strerror (problem));
  message_begin (what, stderr);
  fprintf (stderr, "%s\n", err.reason);
  add_problem (run, what, &err);
}

/* Make the list of files and work on each.  False if a part of the list is
   missing, or if memory ran out before any file was worked on.  */
static bool
work_on_files (struct run *run)
{
  const struct tool_options *options = run->options;
  bool done = file_list_collect (&run->files, options);
  int problem = done ? ENOMEM : errno;
  done = done && batch_run (options, &run->files, &run->totals, &run->streams);
  progress_clear ();
  if (!done)
    report_problem (run,
                    problem != ENOMEM && options->files_from != NULL
                        ? options->files_from
                        : "list of files",
                    problem);
  if (run->totals.lost_texts)
    report_problem (run, "results", ENOMEM);
  return done;
}

/* Note if --require found no file: the folder may be the wrong one, and the
   exit status of such a gate is that of a success, because packages without
   programs pass, too.  */
static void
note_no_files (const struct run *run)
{
  const struct tool_options *options = run->options;
  if (run->files.n > 0 || !options->require || options->quiet)
    return;
  message_begin (options->n_files == 1 ? options->files[0] : NULL,
                 run->streams.errors);
  fputs ("note: there is no ELF file to check\n", run->streams.errors);
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

/* Complain that memory ran out for the report.  Return the exit status.  */
static int
fail_report (void)
{
  fputs ("cfi2sframe: out of memory for the report\n", stderr);
  return EXIT_FAILURE;
}

static int
exit_status (const struct totals *totals)
{
  if (totals->problems > 0 || totals->failed > 0 || totals->different > 0)
    return EXIT_FAILURE;
  return totals->findings > 0 ? EXIT_FOUND : EXIT_SUCCESS;
}

/* Do what OPTIONS ask for with each file, and print the results and the sums.
   Return the exit status.  */
static int
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
  bool done = work_on_files (&run);
  flush_written (&run);
  run.totals.not_elf = run.files.not_elf;
  run.totals.seconds = clock_now () - start;
  const struct totals *totals = &run.totals;
  bool reported
      = events_end (&run.events, totals->done, totals->skipped,
                    totals->failed + totals->findings + totals->problems,
                    totals->seconds, out);
  if (done)
    totals_print (totals, options, out);
  if (done && !options->quiet)
    totals_print_skipped (totals, options, run.streams.errors);
  if (done)
    note_no_files (&run);
  file_list_free (&run.files);
  return reported ? exit_status (totals) : fail_report ();
}

/* ---- The program */

#ifdef __GLIBC__
/* Use huge pages for the beginning of the heap, where the kernel gives them on
   request.  A conversion of a large file needs that much memory in any case,
   and small pages take a tenth of its time (doc/use/speed).  */
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

/* Make malloc keep freed memory.  A conversion allocates and frees some blocks
   of megabytes one after the other, and new pages for each of them take a
   tenth of its time (doc/use/speed).  The library does not do this, because
   the allocator belongs to its users.  */
static void
keep_freed_memory (const struct tool_options *options)
{
#ifdef __GLIBC__
  /* The analysis of code has a few large arrays that grow for long and would
     leave holes in the heap.  Mapping new pages for them costs nothing
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

int
main (int argc, char **argv)
{
  struct tool_options options;
  io_occupy_standard ();
  io_raise_limit ();
  tool_options_parse (&options, argc, argv);
  signals_install (progress_interrupted, NULL);
  keep_freed_memory (&options);
  int status = run_over_files (&options);
  tool_options_free (&options);
  if (!json_lines_lost ())
    return standard_output_flush (status);
  /* Memory for some JSON lines ran out.  */
  fprintf (stderr, "cfi2sframe: standard output: %s\n", strerror (ENOMEM));
  return EXIT_FAILURE;
}
