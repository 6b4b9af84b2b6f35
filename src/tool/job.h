/* One file and what became of it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_JOB_H
#define TOOL_JOB_H

#include <stdbool.h>
#include <stdio.h>

#include "cfi2sframe.h"
#include "convert/location.h"
#include "convert/measure.h"
#include "tool/options.h"

enum job_outcome
{
  JOB_DONE,
  JOB_SKIPPED, /* nothing to do */
  JOB_FAILED
};

struct job
{
  const char *path;
  struct file_location location; /* where that is */
  struct file_identity made;     /* what it is after it was changed */
  bool found; /* in a directory or list: what cannot be converted is skipped
                 without a message */
  FILE *out;  /* for the dump */
  enum job_outcome outcome;
  struct cfi2sframe_report report;
  struct cfi2sframe_check_result check;
  /* With MODE_COMPARE_FORMATS, or compact unwind instead of SFrame.  */
  struct measurement comparison;
  struct cfi2sframe_error err;
  double seconds;
};

/* Whether the file itself is the reason that JOB, which did not succeed, has
   not changed it: SFrame is not made for it, or it could be harmed, or it is
   damaged.  */
bool job_is_unconvertible (const struct job *job);

/* Do with job->path what OPTIONS say.  Prints nothing, except the dump.
   May run in several threads.  */
void job_run (struct job *job, const struct tool_options *options);

#endif /* TOOL_JOB_H */
