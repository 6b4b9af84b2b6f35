/* How long it takes from CFI to a finished .sframe, through the library.
   SPDX-License-Identifier: LGPL-2.1-or-later

   section FILE [RUNS [v2|v3]]: print functions, rows and bytes of the section;
   then the shortest and the median processor time and the shortest and median
   elapsed time of RUNS conversions of the file in memory, in milliseconds. The
   counterpart of rows.c.  */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cfi2sframe.h"
#include "times.h"

/* Make the section of FILE, of SIZE bytes, with REPORT.  False when that
   failed, which is told.  */
static bool
build (const char *name, const void *file, size_t size,
       const struct cfi2sframe_options *options,
       struct cfi2sframe_report *report)
{
  struct cfi2sframe_error err = { 0 };
  void *section;
  size_t section_size;
  uint64_t address;
  if (!cfi2sframe_build_section (file, size, options, &section, &section_size,
                                 &address, report, &err))
    {
      fprintf (stderr, "section: %s: %s\n", name, err.reason);
      return false;
    }
  free (section);
  return true;
}

int
main (int argc, char **argv)
{
  int runs = argc > 2 ? (int)strtol (argv[2], NULL, 10) : 1;
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct stat status;
  int fd = argc < 2 ? -1 : open (argv[1], O_RDONLY);
  if (fd < 0 || fstat (fd, &status) != 0 || runs < 1)
    {
      fprintf (stderr, "usage: section FILE [RUNS [v2|v3]]\n");
      return 2;
    }
  cfi2sframe_options_init (&options);
  cfi2sframe_report_init (&report);
  if (argc > 3 && strcmp (argv[3], "v2") == 0)
    options.format = CFI2SFRAME_V2;
  void *file = mmap (NULL, (size_t)status.st_size, PROT_READ,
                     MAP_PRIVATE | MAP_POPULATE, fd, 0);
  double *times = calloc ((size_t)runs, sizeof *times);
  double *elapsed = calloc ((size_t)runs, sizeof *elapsed);
  bool well = file != MAP_FAILED && times != NULL && elapsed != NULL;
  for (int i = 0; well && i < runs; i++)
    {
      double start = milliseconds (CLOCK_PROCESS_CPUTIME_ID);
      double begin = milliseconds (CLOCK_MONOTONIC);
      well = build (argv[1], file, (size_t)status.st_size, &options, &report);
      elapsed[i] = milliseconds (CLOCK_MONOTONIC) - begin;
      times[i] = milliseconds (CLOCK_PROCESS_CPUTIME_ID) - start;
    }
  if (well)
    {
      sort_times (times, runs);
      sort_times (elapsed, runs);
      printf ("%llu %llu %llu %.3f %.3f %.3f %.3f\n",
              (unsigned long long)report.sframe_fdes,
              (unsigned long long)report.sframe_fres,
              (unsigned long long)report.sframe_bytes, times[0],
              times[runs / 2], elapsed[0], elapsed[runs / 2]);
    }
  free (times);
  free (elapsed);
  return well ? 0 : 1;
}
