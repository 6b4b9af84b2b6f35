/* One file and the result of its work.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stdbool.h>
#include <stdio.h>

#include "cfi2sframe.h"
#include "convert/location.h"
#include "compact-unwind/measure.h"
#include "cli/findings.h"
#include "cli/options.h"

enum job_outcome
{
  JOB_DONE,
  JOB_SKIPPED, /* the file needs no change */
  JOB_FOUND,   /* --lint or --compare found something */
  JOB_FAILED
};

/* What the reason why a file was not worked on says of that file.  */
enum job_reason
{
  JOB_REASON_WORK,    /* nothing: the work failed */
  JOB_REASON_NOTHING, /* there is nothing to do */
  JOB_REASON_EXCLUDED,
  JOB_REASON_CHECKSUMMED, /* something keeps a checksum of it */
  JOB_REASON_UNSUPPORTED, /* SFrame is not made for it */
  JOB_REASON_REFUSED,     /* a change could harm it */
  JOB_REASON_MALFORMED,
  JOB_REASON_UNREADABLE, /* it was found, and forbids the user to read it:
                            builds have set-id programs that only run */
  JOB_REASON_STAYS,      /* it keeps an .sframe that was to be taken away */
  JOB_REASON_UNMARKED,   /* likewise, but the .sframe may be an assembler's:
                            objects have no record of their conversion */
  JOB_REASON_UNRECORDED, /* likewise, but the .sframe may be a linker's: the
                            linked file has no record */
  N_JOB_REASONS
};

struct job
{
  const struct tool_options *options;
  const char *path;
  struct file_work work; /* what changes the file, or makes another of it */
  bool found;            /* in a directory or list, not named: more is skipped
                            (skipped_when, job.c) */
  FILE *out;             /* stream for the dump, findings and differences */
  enum job_outcome outcome;
  enum job_reason reason; /* with JOB_SKIPPED, and with JOB_FAILED */
  struct cfi2sframe_check_result check;
  /* With MODE_COMPARE_FORMATS, or compact unwind instead of SFrame.  */
  struct measurement measurement;
  struct findings findings; /* of --lint or --compare */
  struct cfi2sframe_error err;
  struct cfi2sframe_error twin_problem; /* why the debug file did not follow
                                           the file; clear if it did */
  double seconds;
};

/* Whether the configuration leaves the file as it is: then JOB is skipped.  */
bool job_exclude (struct job *job);

/* JOB did not succeed: set what becomes of it.  */
void job_fail (struct job *job);

/* Do what the options ask for with job->path.  Prints nothing, except the
   dump, findings and differences.  May run in several threads.  */
void job_run (struct job *job);

#endif /* CLI_JOB_H */
