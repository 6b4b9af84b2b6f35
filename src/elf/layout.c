/* Planning: which strategy applies, in which order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/layout.h"

#include <stdlib.h>
#include <string.h>

#include "elf/layout_job.h"

/* The largest page the machine may have, but not more than the file was
   linked for.  Never the page of the machine this runs on.  */
static uint64_t
page_size (const struct image *image)
{
  uint64_t page = PAGE_MIN;
  for (size_t i = 0; i < image->n_segments; i++)
    if (image->segments[i].p_type == PT_LOAD
        && image->segments[i].p_align > page)
      page = image->segments[i].p_align;
  return page < image->arch->max_page_size ? page : image->arch->max_page_size;
}

/* Nothing refers to the old .sframe any more: what the new one does not cover
   becomes zero.  Without section headers its true size is unknown.  */
static bool
clear_replaced (struct layout_job *job)
{
  const struct layout_replaced *replaced = job->request->replaced;
  uint64_t offset;
  return replaced == NULL || replaced->section == 0
         || !plan_find (job->plan, replaced->offset, replaced->size, &offset)
         || plan_clear (job->plan, offset, replaced->size, job->err);
}

/* The strategies in the order of doc/injection.  The reason given for none is
   that of the most general one.  */
static int
job_run (struct layout_job *job)
{
  char reason[sizeof job->reason];
  int done = layout_try_reuse (job);
  if (done == 0)
    done = layout_try_slack (job);
  if (done != 0)
    return done;
  if (job->loader)
    return layout_try_loader (job);
  done = layout_try_append (job);
  memcpy (reason, job->reason, sizeof reason);
  if (done == 0)
    done = layout_try_grow_down (job);
  if (done == 0)
    done = layout_try_grow_data (job);
  if (done == 0 && job->request->allow_moved_table)
    done = layout_try_move (job);
  memcpy (job->reason, reason, sizeof reason);
  return done;
}

static int
job_run_one (struct layout_job *job, enum layout_strategy strategy)
{
  switch (strategy)
    {
    case LAYOUT_SLACK:
      return layout_try_slack (job);
    case LAYOUT_SPARE_SLOT:
    case LAYOUT_EVICT:
      return job->loader ? layout_try_loader (job) : layout_try_append (job);
    case LAYOUT_GROW_DOWN:
      return layout_try_grow_down (job);
    case LAYOUT_GROW_DATA:
      return layout_try_grow_data (job);
    case LAYOUT_MOVE_TABLE:
      return layout_try_move (job);
    case LAYOUT_REUSE:
      return layout_try_reuse (job);
    }
  return job_not (job, "no such strategy");
}

/* Carry the job out.  IMAGE is what the file says of itself: the sections that
   the new file will have, too.  */
static bool
job_do (struct layout_job *job, const struct image *image,
        const enum layout_strategy *only)
{
  int done = -1;
  job->page = page_size (job->image);
  job->loader
      = layout_is_loader (image)
        || (job->request->named_loader && layout_may_be_loader (job->image));
  if (job_open (job, image->n_sections))
    done = only ? job_run_one (job, *only) : job_run (job);
  if (done > 0 && !clear_replaced (job))
    done = -1;
  job_close (job);
  if (done == 0)
    error_set (job->err, CFI2SFRAME_REFUSED, "%s", job->reason);
  return done > 0;
}

static bool
plan_make (struct layout_plan *plan, const struct image *image,
           const struct layout_request *request,
           const enum layout_strategy *only, struct error *err)
{
  *plan = (struct layout_plan){ .sframe_size = request->sframe_size };
  if (!layout_classify (image, err))
    return false;
  /* More would not fit the format's 32-bit offsets anyway.  */
  if (request->sframe_size == 0 || request->sframe_size > UINT32_MAX)
    return error_set (err, CFI2SFRAME_INVALID, "impossible size of .sframe");
  struct layout_job job
      = { .image = image, .request = request, .plan = plan, .err = err };
  if (request->search != NULL)
    layout_search_take (request->search, &job.references);
  if (image->n_sections > 0)
    return job_do (&job, image, only);
  struct image known;
  if (!known_sections_make (&known, image, err))
    return false;
  job.image = &known;
  bool done = job_do (&job, image, only);
  known_sections_free (&known);
  return done;
}

bool
layout_plan_injection (struct layout_plan *plan, const struct image *image,
                       const struct layout_request *request, struct error *err)
{
  return plan_make (plan, image, request, NULL, err);
}

bool
layout_plan_by (struct layout_plan *plan, const struct image *image,
                const struct layout_request *request,
                enum layout_strategy strategy, struct error *err)
{
  return plan_make (plan, image, request, &strategy, err);
}
