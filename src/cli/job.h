/* One file and the result of its work.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stdbool.h>
#include <stdio.h>

#include "cfi2sframe.h"
#include "convert/location.h"
#include "compact-unwind/measure.h"
#include "cli/lint_print.h"
#include "cli/options.h"

enum job_outcome
{
  JOB_DONE,
  JOB_SKIPPED, /* the file needs no change */
  JOB_FOUND,   /* --lint found something */
  JOB_FAILED
};

struct job
{
  const char *path;
  struct file_location location; /* where the file is */
  struct file_identity made; /* identity of the file after it was changed */
  bool found; /* the file was found in a directory or list: if it cannot be
                 converted, it is skipped without a message */
  FILE *out;  /* stream for the dump, and for findings */
  enum job_outcome outcome;
  bool excluded; /* skipped, because the configuration says so */
  struct cfi2sframe_report report;
  struct cfi2sframe_check_result check;
  /* With MODE_COMPARE_FORMATS, or compact unwind instead of SFrame.  */
  struct measurement measurement;
  struct lint_outcome lint;
  struct cfi2sframe_error err;
  struct cfi2sframe_error twin_problem; /* why the debug file did not follow
                                           the file; clear if it did */
  double seconds;
};

/* Whether the reason that JOB failed is the file itself: SFrame is not made
   for it, or a change could harm it, or it is damaged.  */
bool job_is_unconvertible (const struct job *job);

/* Whether JOB failed because its file, which was found, forbids the user to
   read it: builds have set-id programs that only run.  */
bool job_is_unreadable (const struct job *job);

/* Whether the configuration leaves the file as it is.  */
bool job_is_excluded (struct job *job, const struct tool_options *options);

/* What becomes of JOB, which did not succeed.  */
enum job_outcome job_failure_outcome (const struct job *job,
                                      const struct tool_options *options);

/* Do what OPTIONS ask for with job->path.  Prints nothing, except the dump and
   findings.
   May run in several threads.  */
void job_run (struct job *job, const struct tool_options *options);

#endif /* CLI_JOB_H */
