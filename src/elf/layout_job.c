/* What all strategies ask of the job.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/layout_job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
job_open (struct layout_job *job, size_t n_sections)
{
  const struct image *image = job->image;
  job->header = image->header;
  job->n_segments = image->n_segments;
  job->n_sections = n_sections;
  job->end = image->size;
  job->segments
      = calloc (image->n_segments + JOB_HEADERS_MAX, sizeof job->segments[0]);
  job->sections
      = calloc (image->n_sections + JOB_SECTIONS_MAX, sizeof job->sections[0]);
  job->moved = calloc (image->n_sections + 1, sizeof job->moved[0]);
  if (job->segments == NULL || job->sections == NULL || job->moved == NULL)
    return error_set_no_memory (job->err);
  memcpy (job->segments, image->segments,
          image->n_segments * sizeof job->segments[0]);
  for (size_t i = 0; i < image->n_sections; i++)
    job->sections[i] = image->sections[i].header;
  return plan_copy (job->plan, 0, 0, image->size, job->err);
}

void
job_close (struct layout_job *job)
{
  free (job->segments);
  free (job->sections);
  free (job->moved);
}

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
