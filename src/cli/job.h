/* A job: the work on one file, and its result.
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
  JOB_SKIPPED, /* there is nothing to do, or the file is left as it is */
  JOB_FOUND,   /* --lint or --compare found something */
  JOB_FAILED
};

/* The kinds of reasons why the work on a file was not done.  */
enum job_reason
{
  JOB_REASON_WORK,    /* the work failed */
  JOB_REASON_NOTHING, /* there is nothing to do */
  JOB_REASON_EXCLUDED,
  JOB_REASON_CHECKSUMMED, /* something keeps a checksum of it */
  JOB_REASON_UNSUPPORTED, /* SFrame is not for such files */
  JOB_REASON_REFUSED,     /* a change could harm it */
  JOB_REASON_MALFORMED,
  JOB_REASON_UNREADABLE, /* found in a tree, without permission to read: builds
                            have such set-id programs */
  JOB_REASON_SFRAME_STAYS,  /* it keeps an .sframe that was to be removed */
  JOB_REASON_OBJECT_SFRAME, /* --undo of an object, whose .sframe may be the
                               assembler's: objects have no undo record */
  JOB_REASON_NO_RECORD,     /* no undo record: its .sframe may be a linker's */
  N_JOB_REASONS
};

struct job
{
  const struct tool_options *options;
  const char *path;
  struct file_work work; /* for modes that write a file */
  bool in_tree;          /* in a directory or list, not an operand: more
                            reasons skip it (skipped_when, job.c) */
  FILE *out;             /* for the dump, findings and differences */
  enum job_outcome outcome;
  enum job_reason reason; /* if skipped or failed */
  struct cfi2sframe_check_result check;
  /* Of MODE_COMPARE_FORMATS, and of compact unwind instead of SFrame.  */
  struct measurement measurement;
  struct findings findings; /* of --lint and --compare */
  struct cfi2sframe_error err;
  struct cfi2sframe_error twin_problem; /* why the debug file could not be
                                           updated; otherwise clear */
  double seconds;
};

/* Whether the configuration excludes the file.  Then JOB is skipped.  */
bool job_exclude (struct job *job);

/* Set the outcome and reason of JOB, which did not succeed, from job->err.  */
void job_fail (struct job *job);

/* Do what the options ask for with job->path.  Prints only the dump, findings
   and differences.  Several threads may run jobs.  */
void job_run (struct job *job);

#endif /* CLI_JOB_H */
