/* What all strategies ask of the job.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/layout_job.h"

#include <stdarg.h>
#include <stdio.h>

int
job_not (struct layout_job *job, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  vsnprintf (job->reason, sizeof job->reason, fmt, args);
  va_end (args);
  return 0;
}

const GElf_Phdr *
job_last_load (const struct layout_job *job)
{
  const GElf_Phdr *last = NULL;
  for (size_t i = 0; i < job->image->n_segments; i++)
    if (job->image->segments[i].p_type == PT_LOAD)
      last = &job->image->segments[i];
  return last;
}
