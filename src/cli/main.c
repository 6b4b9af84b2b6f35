/* cfi2sframe: the program.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/descriptors.h"
#include "cli/command_line.h"
#include "cli/compare_print.h"
#include "cli/json_line.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/signals.h"
#include "cli/standard_options.h"

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

int
main (int argc, char **argv)
{
  struct tool_options options;
  descriptors_occupy_standard ();
  descriptors_raise_limit ();
  tool_options_parse (&options, argc, argv);
  signals_install (progress_interrupted, NULL);
  keep_freed_memory (&options);
  int status = options.mode == MODE_COMPARE
                   ? compare_run (&options, stdout, stderr)
                   : run_over_files (&options);
  tool_options_free (&options);
  return flush_output (status);
}
