/* cfi2sframe: the program.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/job.h"
#include "tool/options.h"
#include "tool/report.h"
#include "tool/signals.h"

/* Output that could not be written must not look like success.  */
static int
flush_output (int status)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;
  fprintf (stderr, "cfi2sframe: standard output: %s\n", strerror (errno));
  return EXIT_FAILURE;
}

int
main (int argc, char **argv)
{
  struct tool_options options;
  int status = EXIT_SUCCESS;
  tool_options_parse (&options, argc, argv);
  signals_install ();
  for (size_t i = 0; i < options.n_files; i++)
    {
      struct job job = { .path = options.files[i] };
      job_run (&job, &options);
      report_job (&options, &job, stdout, stderr);
      if (job.outcome == JOB_FAILED)
        status = EXIT_FAILURE;
    }
  return flush_output (status);
}
